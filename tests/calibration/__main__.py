"""``python -m tests.calibration [FOLDER …]`` writes the page of reports/calibration, or that of reports/strong-play.

Without folders fourteen million games are played, which takes two minutes. Otherwise the folders are reports on
experiments whose answers are known. The exit code is 1 if the findings are not as they should be.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.calibration import estimates, verdicts

REPORTS = estimates.ROOT / "reports"

if __name__ == "__main__":
    if folders := sys.argv[1:]:
        about = verdicts.together([verdicts.of_folder(Path(folder)) for folder in folders])
        print(verdicts.write(about, REPORTS / "strong-play"))
        sys.exit(not about.passed)
    made = estimates.calibrate(estimates.question())
    print(estimates.write(made, REPORTS / "calibration"))
    sys.exit(not made.passed)
