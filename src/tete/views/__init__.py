"""More than one map: people, or answers, that see the objects in different ways.

`unit_answers` deals answers into halves by person; `mixture` says who belongs to which view and how reliably, from
margins on maps that have not seen the answers; `cross_fitting` makes these maps in turn with the mixture;
`shared_deviations` shows who deviates from a map alike, from which `view_starts` guesses who could belong to one view
more; `view_search` decides how many views there are, and
`view_agreement` whether two searches have found the same; `axis_weights` fits the rival hypothesis, one map whose axes
people weigh differently; `own_maps` tests whether a person at chance is consistent alone; `view_tables` and
`views_summary` tell what was found; `multiview` is the estimator.
"""
