package main

// Run is the program for its external tests, which may get a server from sim/pg.
var Run = run
