package main

import (
	"context"

	"agentstudio/engine/workspace"
)

// maxListed bounds what is offered while a path is typed.
const maxListed = 2000

// listFolder names what may be read in a folder of the workspace, for whoever types a path.
func listFolder(space *workspace.Workspace) func(ctx context.Context, location string) ([]string, error) {
	return func(ctx context.Context, location string) ([]string, error) {
		entries, _, err := space.ReadDir(ctx, location, maxListed)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, e := range entries {
			switch {
			case e.Protected || e.Special:
			case e.Kind == workspace.KindFolder:
				names = append(names, e.Name+"/")
			default:
				names = append(names, e.Name)
			}
		}
		return names, nil
	}
}
