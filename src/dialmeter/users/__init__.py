"""Users: does a user simulator say all that its goal asks for, and nothing that it should not?

The way in is :func:`~dialmeter.users.scorer.score_user`, or :class:`~dialmeter.users.scorer.UserScorer` for one dialogue
at a time:

``score_user(dialogues, rules="dialmeter", profile="multiwoz", value_map=None, *, format=None, from_text=False, ci=0.95,
resamples=1000, seed=12345, keep=True, watch=..., sink=None) -> UserResult``
    ``dialogues`` is a file, a folder, or conversations. ``watch`` wraps the conversations for a progress bar, ``sink`` takes
    every conversation with its outcome. Dialogues that cannot be scored are in ``result.refused``, the rest goes on.

``UserScorer(rules, profile, value_map, *, from_text=False, keep=False, accuracy="")``
    ``.add(conversation) -> DialogueOutcome`` (raises InputError), ``.outcome(conversation)`` the same without taking it into
    the result, ``.add_all(conversations)`` adds several and refuses those that cannot be scored, ``.refuse(error)``,
    ``.merge(other)``, ``.result(notices=(), resampling=None) -> UserResult``.

``DialogueOutcome``
    ``id``, ``turns``, ``cut``, ``domains`` (of the goal), ``inform`` and ``request`` (domain → ``DomainOutcome`` with ``wanted``,
    ``counted`` and ``score``), ``combined`` ({"I": .., "R": ..}), ``events`` (:class:`~dialmeter.users.events.Event`: ``name``,
    ``family``, ``domain``, ``about``, ``turns``, ``credited``, ``said``, ``slot``; "class" instead of ``name`` in JSON), ``said`` and
    ``asked`` (domain → constraint or request → turns), ``dropped``, ``remarks``. ``.score("I" | "R", domain="combined")`` gives
    ``Parts`` (``precision``, ``recall``, ``f1``) or None.

``UserResult``
    ``scores`` (six measures; ``group["domain"]`` is "combined" or a domain), ``["I-GCDF1"]``, ``by("domain")``, ``events``
    ({class: {domain: count}}), ``event_counts()`` (by family, class, domain, slot), ``distribution(measure)``, ``worst(n)``,
    ``to_dicts()``, ``to_polars()``, ``counts``, ``notices``, ``refused``, ``outcomes`` (where kept), ``data``, ``signature``.

Rules and profiles: ``rules.load(name_or_file)``, ``rules.changed(rules, "repetitions.max=4")``, ``rules.names()``,
``rules.switches(rules)``; ``profile.load(name_or_file)``, ``profile.names()``; ``dialmeter.values.maps.load(name_or_file)``.
Classes of events with what they mean: ``behaviours.ALL``. Expression patterns: ``analysis.patterns``.
Verdicts: ``blame``.
"""
