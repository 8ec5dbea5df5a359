"""Statistics over dialogues: intervals, paired tests, corrections, correlations, agreement.

A measure is a small vector per dialogue and a formula over the sum of those vectors. Every bootstrap and every paired
test here takes the vectors as a matrix with one row per dialogue, and computes all measures from one draw. If the
dialogues are sorted by id, no result depends on the order of the input, the block size or the number of threads.

`import dialmeter` does not import these modules, because they need numpy; scipy is imported only by the functions that use it.
"""
