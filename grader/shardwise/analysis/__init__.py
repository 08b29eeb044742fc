"""Analysis: which problems work, what a set will do, and which answers match another student's key."""
