"""Study of bias: the dependence of measures on the number and the position of mistakes."""
