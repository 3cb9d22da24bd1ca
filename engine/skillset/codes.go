package skillset

import "agentstudio/engine"

const (
	severityError   = "error"
	severityWarning = "warning"
)

// The codes of diagnostics. Codes says what each means.
const (
	RootNotFound          engine.Code = "ROOT_NOT_FOUND"
	RootNotAFolder        engine.Code = "ROOT_NOT_A_FOLDER"
	RootUnreadable        engine.Code = "ROOT_UNREADABLE"
	FolderUnreadable      engine.Code = "FOLDER_UNREADABLE"
	ScanLimit             engine.Code = "SCAN_LIMIT"
	LinkBroken            engine.Code = "LINK_BROKEN"
	NoSkills              engine.Code = "NO_SKILLS"
	SkillFileCase         engine.Code = "SKILL_FILE_CASE"
	SkillFileLink         engine.Code = "SKILL_FILE_LINK"
	SkillFileTooLarge     engine.Code = "SKILL_FILE_TOO_LARGE"
	SkillFileUnreadable   engine.Code = "SKILL_FILE_UNREADABLE"
	SkillShadowed         engine.Code = "SKILL_SHADOWED"
	BundledHidden         engine.Code = "BUNDLED_HIDDEN"
	NotUTF8               engine.Code = "NOT_UTF8"
	ByteOrderMark         engine.Code = "BYTE_ORDER_MARK"
	FrontmatterMissing    engine.Code = "FRONTMATTER_MISSING"
	FrontmatterUnclosed   engine.Code = "FRONTMATTER_UNCLOSED"
	FrontmatterTooLarge   engine.Code = "FRONTMATTER_TOO_LARGE"
	FrontmatterNotMapping engine.Code = "FRONTMATTER_NOT_A_MAPPING"
	YAMLInvalid           engine.Code = "YAML_INVALID"
	YAMLRepaired          engine.Code = "YAML_REPAIRED"
	YAMLAlias             engine.Code = "YAML_ALIAS"
	YAMLFlow              engine.Code = "YAML_FLOW"
	YAMLTag               engine.Code = "YAML_TAG"
	KeyDuplicate          engine.Code = "KEY_DUPLICATE"
	KeyUnknown            engine.Code = "KEY_UNKNOWN"
	ControlCharacter      engine.Code = "CONTROL_CHARACTER"
	NameMissing           engine.Code = "NAME_MISSING"
	NameUnusable          engine.Code = "NAME_UNUSABLE"
	NamePattern           engine.Code = "NAME_PATTERN"
	NameTooLong           engine.Code = "NAME_TOO_LONG"
	NameNotFolder         engine.Code = "NAME_NOT_FOLDER"
	DescriptionMissing    engine.Code = "DESCRIPTION_MISSING"
	DescriptionNotText    engine.Code = "DESCRIPTION_NOT_TEXT"
	DescriptionTooLong    engine.Code = "DESCRIPTION_TOO_LONG"
	DescriptionComment    engine.Code = "DESCRIPTION_COMMENT"
	CompatibilityLength   engine.Code = "COMPATIBILITY_LENGTH"
	FieldNotText          engine.Code = "FIELD_NOT_TEXT"
	AllowedToolsList      engine.Code = "ALLOWED_TOOLS_LIST"
	MetadataNotMap        engine.Code = "METADATA_NOT_A_MAP"
	BodyEmpty             engine.Code = "BODY_EMPTY"
)

// Codes lists every code of a diagnostic with one line of meaning. The caller owns the slice.
func Codes() []engine.CodeMeaning {
	return []engine.CodeMeaning{
		{Code: RootNotFound, Meaning: "a folder of skills that was named is not there"},
		{Code: RootNotAFolder, Meaning: "what was named as a folder of skills is not a folder"},
		{Code: RootUnreadable, Meaning: "a folder of skills cannot be opened"},
		{Code: FolderUnreadable, Meaning: "a folder below it cannot be listed"},
		{Code: ScanLimit, Meaning: "the search stopped at its limit of folders; skills may be missing"},
		{Code: LinkBroken, Meaning: "a link in a folder of skills leads nowhere"},
		{Code: NoSkills, Meaning: "nothing to check: no SKILL.md was found"},
		{Code: SkillFileCase, Meaning: "the file must be named SKILL.md, in these letters"},
		{Code: SkillFileLink, Meaning: "SKILL.md is a link; links inside a skill are not followed"},
		{Code: SkillFileTooLarge, Meaning: "SKILL.md is over 256 KiB"},
		{Code: SkillFileUnreadable, Meaning: "SKILL.md cannot be read"},
		{Code: SkillShadowed, Meaning: "a skill of the same name comes first; this one is not used"},
		{Code: BundledHidden, Meaning: "a skill hides the bundled one of the same name"},
		{Code: NotUTF8, Meaning: "the file is not UTF-8"},
		{Code: ByteOrderMark, Meaning: "the file begins with a byte order mark, which is ignored"},
		{Code: FrontmatterMissing, Meaning: "the first line is not ---"},
		{Code: FrontmatterUnclosed, Meaning: "the line --- that ends the frontmatter is missing"},
		{Code: FrontmatterTooLarge, Meaning: "the frontmatter is over 64 KiB"},
		{Code: FrontmatterNotMapping, Meaning: "the frontmatter is not a list of key: value"},
		{Code: YAMLInvalid, Meaning: "the frontmatter is not YAML"},
		{Code: YAMLRepaired, Meaning: "a value with an unquoted colon was read as written; put it in quotes"},
		{Code: YAMLAlias, Meaning: "anchors and aliases are not allowed"},
		{Code: YAMLFlow, Meaning: "brackets and braces are not allowed by the specification's parser"},
		{Code: YAMLTag, Meaning: "YAML tags are not allowed; they are ignored"},
		{Code: KeyDuplicate, Meaning: "a key is there twice"},
		{Code: KeyUnknown, Meaning: "the specification has no such key"},
		{Code: ControlCharacter, Meaning: "a control character was replaced"},
		{Code: NameMissing, Meaning: "the name is missing or empty"},
		{Code: NameUnusable, Meaning: "the name has characters that no command could hold"},
		{Code: NamePattern, Meaning: "the name is not small letters, digits and single hyphens"},
		{Code: NameTooLong, Meaning: "the name is over 64 characters"},
		{Code: NameNotFolder, Meaning: "the name differs from the folder's"},
		{Code: DescriptionMissing, Meaning: "the description is missing or blank"},
		{Code: DescriptionNotText, Meaning: "the description is not text"},
		{Code: DescriptionTooLong, Meaning: "the description is over 1,024 characters; it is cut for the model"},
		{Code: DescriptionComment, Meaning: "what follows # in the description is a YAML comment and is lost"},
		{Code: CompatibilityLength, Meaning: "compatibility must have 1 to 500 characters"},
		{Code: FieldNotText, Meaning: "a field that must be text is not"},
		{Code: AllowedToolsList, Meaning: "allowed-tools is a list; the specification wants one line with blanks"},
		{Code: MetadataNotMap, Meaning: "metadata is not a mapping and was dropped"},
		{Code: BodyEmpty, Meaning: "there are no instructions below the frontmatter"},
	}
}
