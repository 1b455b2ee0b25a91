// The project's searches for rulesets.

import { runList } from "studio/run_list.js";
import { tr } from "studio/texts.js";

export default runList("search", {
  heading: tr("Searches for rulesets"),
  new: tr("New search"),
  lead: tr("A search lists what may change and what the game should become, and finds the rulesets that get there with the fewest changes."),
  find: tr("Find a search"),
  none: tr("There are no searches yet."),
  unfound: tr("No search matches."),
});
