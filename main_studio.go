package main

import "context"

// studio opens the terminal screen.
func (o *options) studio(ctx context.Context) error { return nil }
