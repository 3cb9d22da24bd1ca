package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// literals are the names of all types that the program makes values of: what it never makes, it
// never writes. Folders are looked through with all below, "." alone without.
func literals(dirs ...string) (map[string]bool, error) {
	made := map[string]bool{}
	files := token.NewFileSet()
	for _, dir := range dirs {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != "." && (dir == "." || d.Name() == "testdata"):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(files, filepath.Join(dir, path), nil, parser.SkipObjectResolution)
			if err == nil {
				ast.Inspect(f, func(n ast.Node) bool { note(n, made); return true })
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

func note(n ast.Node, made map[string]bool) {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return
	}
	switch t := lit.Type.(type) {
	case *ast.Ident:
		made[t.Name] = true
	case *ast.SelectorExpr:
		made[t.Sel.Name] = true
	}
}
