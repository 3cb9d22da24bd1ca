package engine

// Attachment is what events and requests say of an uploaded image or table: never its content.
type Attachment struct {
	ID     string `json:"attachmentId"`
	Name   string `json:"name"` // a label, cleaned when made
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	Kind   string `json:"kind"`             // image or table
	SHA256 string `json:"sha256,omitempty"` // of an image's bytes as they are kept, in hex
}
