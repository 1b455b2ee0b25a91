// The project's experiments.

import { runList } from "studio/run_list.js";
import { tr } from "studio/texts.js";

export default runList("experiment", {
  heading: tr("Experiments"),
  new: tr("New experiment"),
  lead: tr("Each experiment lets computer players play several rulesets and compares the results."),
  find: tr("Find an experiment"),
  none: tr("There are no experiments yet. Tick rulesets, players and a question to create one."),
  unfound: tr("No experiment matches."),
});
