"""User simulators: does a user say all that its goal requires, and nothing else?

Start with :func:`~dialmeter.users.scorer.score_user`, or with :class:`~dialmeter.users.scorer.UserScorer` to score one
dialogue at a time:

``score_user(dialogues, rules="dialmeter", profile="multiwoz", value_map=None, *, format=None, from_text=False, ci=0.95,
resamples=1000, seed=12345, keep=True, watch=..., sink=None) -> UserResult``
    ``dialogues`` is a file, a folder, or conversations. ``watch`` wraps the conversations, for example in a
    progress bar. ``sink`` is called with every conversation and its outcome. Dialogues that cannot be scored are in
    ``result.refused``; the other dialogues are scored.

``UserScorer(rules, profile, value_map, *, from_text=False, keep=False, accuracy="")``
    ``.add(conversation) -> DialogueOutcome`` (raises InputError), ``.outcome(conversation)`` the same without adding it to the
    result, ``.add_all(conversations)`` adds several and refuses those that cannot be scored, ``.refuse(error)``,
    ``.merge(other)``, ``.result(notices=(), resampling=None) -> UserResult``.

``DialogueOutcome``
    ``id``, ``turns``, ``cut``, ``domains`` (of the goal), ``inform`` and ``request`` (domain → ``DomainOutcome`` with ``wanted``,
    ``counted`` and ``score``), ``combined`` ({"I": .., "R": ..}), ``events`` (:class:`~dialmeter.users.events.Event`: ``name``,
    ``family``, ``domain``, ``about``, ``turns``, ``credited``, ``said``, ``slot``; "class" instead of ``name`` in JSON), ``said`` and
    ``asked`` (domain → constraint or request → turns), ``dropped``, ``remarks``. ``.score("I" | "R", domain="combined")`` returns
    ``Parts`` (``precision``, ``recall``, ``f1``) or None.

``UserResult``
    ``scores`` (six measures; ``group["domain"]`` is "combined" or a domain), ``["I-GCDF1"]``, ``by("domain")``, ``events``
    ({class: {domain: count}}), ``event_counts()`` (by family, class, domain, slot), ``distribution(measure)``, ``worst(n)``,
    ``to_dicts()``, ``to_polars()``, ``counts``, ``notices``, ``refused``, ``outcomes`` (if kept), ``data``, ``signature``.

Rules and profiles: ``rules.load(name_or_file)``, ``rules.changed(rules, "repetitions.max=4")``, ``rules.names()``,
``rules.switches(rules)``; ``profile.load(name_or_file)``, ``profile.names()``; ``dialmeter.values.maps.load(name_or_file)``.
Classes of events with their descriptions: ``behaviours.ALL``. Expression patterns: ``analysis.patterns``.
Verdicts: ``blame``.
"""
