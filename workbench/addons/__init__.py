"""Add-ons: a folder for each subject beside the comparison of proposals. None is imported by the core or by another."""
