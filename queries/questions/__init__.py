"""questions: what is read out of a question before anything is searched: type, time, people, viewpoint."""
