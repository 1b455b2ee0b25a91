// Counts down to an expected event.

export const Countdown = {
  data() {
    return { now: Date.now(), due: 0 };
  },
  computed: {
    countdown() {
      return Math.max(0, Math.ceil((this.due - this.now) / 1000));
    },
  },
  mounted() {
    this.ticking = setInterval(() => (this.now = Date.now()), 1000);
  },
  unmounted() {
    clearInterval(this.ticking);
  },
  methods: {
    expectIn(seconds) {
      this.now = Date.now();
      this.due = this.now + 1000 * seconds;
    },
  },
};
