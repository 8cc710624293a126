"""The properties of the flow are not timed: a machine that is busy with other things is no defect."""

from hypothesis import settings

settings.register_profile("flows", deadline=None)
settings.load_profile("flows")
