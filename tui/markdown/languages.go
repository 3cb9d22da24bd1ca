package markdown

import "strings"

// language returns what to colour by for the first word behind a fence, or
// nil. The lists hold what makes code readable at a glance, not every word a
// language reserves.
func language(info string) *syntax {
	name, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	slashed := []pair{{"/*", "*/", aComment}}
	switch strings.ToLower(strings.Trim(name, "{}.")) {
	case "go", "golang":
		return &syntax{comments: []string{"//"}, blocks: append(slashed, pair{"`", "`", aString}), quotes: `"'`, words: words(
			"break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false")}
	case "py", "python", "python3":
		return &syntax{comments: []string{"#"}, blocks: []pair{{`"""`, `"""`, aString}, {"'''", "'''", aString}}, quotes: `"'`, words: words(
			"and as assert async await break class continue def del elif else except finally for from global if import in is lambda match case nonlocal not or pass raise return try while with yield None True False self")}
	case "js", "javascript", "jsx", "mjs", "ts", "typescript", "tsx":
		return &syntax{comments: []string{"//"}, blocks: append(slashed, pair{"`", "`", aString}), quotes: `"'`, words: words(
			"abstract as async await break case catch class const continue default delete do else enum export extends finally for from function if implements import in instanceof interface let new null of private protected public readonly return static super switch this throw try type typeof undefined var void while yield true false")}
	case "java", "kotlin", "kt", "scala", "groovy":
		return &syntax{comments: []string{"//"}, blocks: append(slashed, pair{`"""`, `"""`, aString}), quotes: `"'`, words: words(
			"abstract as break case catch class companion const continue data def default do else enum extends false final finally for fun if implements import in instanceof interface is lazy match new null object override package private protected public return sealed static super switch synchronized this throw throws trait true try val var void volatile when while with yield boolean byte char double float int long short String")}
	case "c", "h", "cpp", "c++", "cc", "hpp", "cs", "csharp", "c#", "objc", "proto":
		return &syntax{comments: []string{"//"}, blocks: slashed, quotes: `"'`, words: words(
			"alignas async auto await base bool break case catch char class const constexpr continue decimal default delegate delete do double else enum event explicit export extern false final float for foreach friend goto if in inline int interface internal is long message mutable namespace new noexcept null nullptr operator out override private protected public readonly ref register return sealed short signed sizeof static string struct switch template this throw true try typedef typename union unsigned using var virtual void volatile while")}
	case "rs", "rust", "swift", "dart", "zig":
		return &syntax{comments: []string{"//"}, blocks: slashed, quotes: `"`, words: words(
			"as async await break case catch class const continue crate default defer do dyn else enum extension extern false final fn for func guard if impl import in init let loop match mod move mut nil None protocol pub ref return self Self Some static struct super switch throw throws trait true try type unsafe use var where while")}
	case "sh", "bash", "shell", "zsh", "console", "fish", "make", "makefile", "dockerfile", "docker":
		return &syntax{comments: []string{"#"}, quotes: `"'`, raw: "'", words: words(
			"alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local read readonly return select set shift source sudo then trap unset until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER VOLUME WORKDIR")}
	case "sql", "mysql", "postgres", "postgresql", "sqlite", "psql":
		return &syntax{comments: []string{"--"}, blocks: slashed, quotes: `'"`, raw: `'"`, fold: true, words: words(
			"add all alter and as asc between by case cast count create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer over partition primary references right select set sum table then union unique update using values view when where with avg min max")}
	case "json", "jsonc", "json5", "jsonl":
		return &syntax{comments: []string{"//"}, quotes: `"`, keys: true, words: words("true false null")}
	case "yaml", "yml", "toml", "ini", "conf", "env", "properties":
		return &syntax{comments: []string{"#", ";"}, quotes: `"'`, raw: "'", keys: true, words: words("true false null yes no on off")}
	case "html", "xml", "svg", "vue", "svelte":
		return &syntax{blocks: []pair{{"<!--", "-->", aComment}}, quotes: `"`, raw: `"`}
	case "css", "scss", "less":
		return &syntax{comments: []string{"//"}, blocks: slashed, quotes: `"'`}
	case "rb", "ruby", "ex", "elixir", "pl", "perl", "r", "jl", "julia", "ps1", "powershell":
		return &syntax{comments: []string{"#"}, quotes: `"'`, words: words(
			"alias and begin break case catch class def defmodule defp do else elseif elsif end ensure false fn for foreach function if import in let local loop module my new next nil not or our param private puts raise redo require rescue retry return self sub super then throw true try unless until use when while yield TRUE FALSE NULL NA")}
	case "php":
		return &syntax{comments: []string{"//", "#"}, blocks: slashed, quotes: `"'`, words: words(
			"abstract and array as break case catch class const continue default do echo else elseif extends false final finally fn for foreach function global if implements include instanceof interface match namespace new null or private protected public readonly require return static switch this throw trait true try use var while yield")}
	case "lua", "hs", "haskell":
		return &syntax{comments: []string{"--"}, quotes: `"'`, words: words(
			"and break case class data deriving do else elseif end false for function goto if import in instance let local module newtype nil not of or repeat return then true type until where while")}
	case "diff", "patch":
		return &syntax{diff: true}
	}
	return nil
}

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
