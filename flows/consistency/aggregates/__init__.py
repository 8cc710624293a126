"""Aggregates are built again from mentions whenever one comes or goes: entities, relationships, profiles, skills. Pure.

An aggregate keeps the mentions it was made from, at most one set for each episode. So a revision of an episode
replaces what the episode said, a replay changes nothing, and the order in which episodes come makes no difference. Of an
aggregate that is spoken of very often only the newest mentions are kept: with those that are gone, older ones do not return.

- entities.py, names.py: nodes of the graph, and which names mean the same.
- relationships.py: its edges, and until when they hold.
- profiles.py: portraits, with what was added, updated and deleted.
- skills.py: what an agent learnt from several cases.
"""
