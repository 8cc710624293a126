"""agents: several searches for one question. Each strategy is a small class; a planner decides what is searched for next."""
