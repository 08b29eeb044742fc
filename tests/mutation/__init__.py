"""Whether the tests of references bite: mutmut breaks each reference in many small ways, and a test has to notice."""
