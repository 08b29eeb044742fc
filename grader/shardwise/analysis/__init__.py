"""Analysis: which items work, how a class will do on a set, and which answers match another student's key."""
