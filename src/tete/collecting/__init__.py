"""Ask people: a server that shows questions, stores every answer before it says so, and learns what to ask next.

The walk of an answer. `study` (what is asked, and how often) and `items` (what is shown) are read once, from a folder,
a table or a file (`study_files`, by the `setting_rules`), and kept in the database (`schema`, `database`). A person's
browser (`static/`) talks to `web_app`, behind `guards`. `interviews` knows where each person is: `roles` says what
kind of question comes next, `asking` which one. Questions and answers go through the one `writer`, which commits them
in groups; only then the browser hears of it. A `planner` in a process of its own fits maps, proposes questions and
reports (`findings`); `planner_watch` keeps it alive, and nobody notices when it dies. `researcher` is the dashboard.
`study_answers` makes `Triplets` of a database, `simulation` answers as people would, and `rehearsal` says what came of
it. `running` starts and ends it all.

The process that serves people loads neither NumPy nor anything that does.
"""
