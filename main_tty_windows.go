package main

const ttyName = "CONIN$"
