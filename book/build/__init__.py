"""From sources to the site: plan, run, report, build."""
