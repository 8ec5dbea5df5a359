"""User simulators: does a user say all that its goal requires, and nothing else?

Start with :func:`~dialmeter.users.scorer.score_conversations` to score the dialogues of a file, or with
:class:`~dialmeter.users.scorer.UserScorer` to score one dialogue at a time. A :class:`~dialmeter.users.result.UserResult` has the
scores; the scores and events of one dialogue are a :class:`~dialmeter.users.events.DialogueOutcome`. ``rules`` and ``profile`` load
rule sets and profiles, ``behaviours.ALL`` describes the classes of events, ``blame`` finds out who lost a point.
"""
