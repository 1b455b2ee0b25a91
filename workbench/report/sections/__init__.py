"""The sections of a report: from the tables of the analysis to values of the model.

`document` has their order. Nothing here knows how a report is written down; that is `workbench.report.render`.
"""
