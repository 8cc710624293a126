"""Truth of memories: facts drawn by chance for a grader, changes of state, and questions.

The chats, changes and questions beside this file are our own, written before the rules that they judge, by somebody who did
not write those. They are for measuring: a rule that is made for one of them takes the worth from all.
"""
