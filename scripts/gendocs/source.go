package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// source is the types of a package, as written.
type source struct {
	types map[string]ast.Expr
	docs  map[string]string
	rows  *ast.FuncDecl // the function kinds
}

// kindRow is a row of the kinds table: the type's name on the wire and in Go.
type kindRow struct{ name, typ string }

func readSource(dir string) (*source, error) {
	s := &source{types: map[string]ast.Expr{}, docs: map[string]string{}}
	files := token.NewFileSet()
	names, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			s.take(d)
		}
	}
	return s, nil
}

func (s *source) take(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.Name == "kinds" {
			s.rows = d
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			s.types[t.Name.Name] = t.Type
			doc := t.Doc
			if doc == nil && len(d.Specs) == 1 {
				doc = d.Doc
			}
			s.docs[t.Name.Name] = strings.Join(strings.Fields(doc.Text()), " ")
		}
	}
}

// doc is a type's comment, said of "it" rather than of its name in Go.
func (s *source) doc(typ string) string {
	text, ok := strings.CutPrefix(s.docs[typ], typ+" ")
	if !ok || text == "" {
		return s.docs[typ]
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// kinds reads the calls kind[Type]("name") of the table, in its order.
func (s *source) kinds() (rows []kindRow, err error) {
	if s.rows == nil {
		return nil, errors.New("the engine has no function kinds any more")
	}
	ast.Inspect(s.rows, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		generic, ok := call.Fun.(*ast.IndexExpr)
		name, isName := call.Args[0].(*ast.BasicLit)
		if !ok || !isName {
			return true
		}
		if text, e := strconv.Unquote(name.Value); e == nil {
			rows = append(rows, kindRow{text, generic.Index.(*ast.Ident).Name})
		}
		return true
	})
	return rows, nil
}

// table writes a type's fields and notes which objects they are made of.
func (s *source) table(b *strings.Builder, typ string, used map[string]bool) {
	rows := s.fields(typ, used)
	if len(rows) == 0 {
		b.WriteString("No fields.\n")
		return
	}
	b.WriteString("| field | value | |\n| --- | --- | --- |\n" + strings.Join(rows, ""))
}

func (s *source) fields(typ string, used map[string]bool) (rows []string) {
	st, ok := s.types[typ].(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 { // embedded: its fields are this type's
			if id, ok := f.Type.(*ast.Ident); ok {
				rows = append(rows, s.fields(id.Name, used)...)
			}
			continue
		}
		name, options := "", ""
		if f.Tag != nil {
			tag, _ := strconv.Unquote(f.Tag.Value)
			name, options, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		}
		if name == "" || name == "-" {
			continue
		}
		optional := ""
		if options == "omitempty" {
			optional = " ?"
		}
		note := strings.TrimSpace(f.Comment.Text())
		if note == "" {
			note = strings.TrimSpace(f.Doc.Text())
		}
		rows = append(rows, fmt.Sprintf("| `%s`%s | %s | %s |\n", name, optional, s.value(f.Type, used), cell(note)))
	}
	return rows
}

// value says in words what a Go type is in JSON.
func (s *source) value(t ast.Expr, used map[string]bool) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return s.value(t.X, used)
	case *ast.ArrayType:
		return "list of " + s.value(t.Elt, used)
	case *ast.MapType:
		return "object"
	case *ast.SelectorExpr: // json.RawMessage is the only one
		return "any JSON"
	case *ast.Ident:
		switch t.Name {
		case "string":
			return "string"
		case "bool":
			return "true or false"
		case "int", "int64", "uint64", "Seq":
			return "number"
		case "Instant":
			return "time"
		}
		if _, ok := s.types[t.Name].(*ast.StructType); ok {
			used[t.Name] = true
			return "[" + t.Name + "](#" + strings.ToLower(t.Name) + ")"
		}
		if under, ok := s.types[t.Name]; ok {
			return s.value(under, used)
		}
	}
	return "any JSON"
}
