package words

// pictureText is what is said of attached pictures.
func pictureText(key string) (row, bool) {
	switch key {
	case "key.pictures":
		return row{"pictures", "图片"}, true
	case "help.pictures":
		return row{"The attached pictures: look at them, or remove one that waits", "已附加的图片：查看，或移除待发送的图片"}, true
	case "key.attach":
		return row{"attach", "附加"}, true
	case "help.attach":
		return row{"Attach a picture to the next message: JPEG, PNG or WebP", "为下一条消息附加图片：JPEG、PNG 或 WebP"}, true
	case "arg.picture":
		return row{"the path of a picture", "图片路径"}, true
	case "ui.attaching":
		return row{"taking in a picture…", "正在读取图片…"}, true
	case "ui.attachingWait":
		return row{"a picture is still being taken in: press the key again when it is there", "图片仍在读取：完成后请再按一次"}, true
	case "ui.blindModel":
		return row{"{model} takes no images: change the model, or remove it", "{model} 不接受图像：请更换模型，或移除图片"}, true
	case "ui.picturesKey":
		return row{"{key.pictures} shows", "{key.pictures} 查看"}, true
	case "ui.morePictures":
		return row{"+{n} more", "另有 {n} 张"}, true
	case "ui.pictureSize":
		return row{"[{w}×{h}  ]{size}", "[{w}×{h} 像素  ]{size}"}, true
	case "ui.pictureBy":
		return row{"by {who}", "来自 {who}"}, true
	case "ui.pictureByYou":
		return row{"by you", "来自你"}, true
	case "ui.pictureWaits":
		return row{"waits for the next message", "等待随下一条消息发送"}, true
	case "ui.pictureSent":
		return row{"sent", "已发送"}, true
	case "ui.pictureSentStays":
		return row{"it has been sent: it goes with the session", "已发送的图片随会话一起删除"}, true
	case "ui.pictureLeftOut.IMAGE_LEFT_OUT":
		return row{"not sent any more: the provider refused it", "不再发送：服务商拒绝了它"}, true
	case "ui.pictureLeftOut.IMAGE_UNREADABLE":
		return row{"not sent any more: its file cannot be read", "不再发送：文件无法读取"}, true
	}
	return pictureViewText(key)
}

// pictureViewText is what stands around a picture and the list of them, and what is asked of a paste.
func pictureViewText(key string) (row, bool) {
	switch key {
	case "ui.pictures":
		return row{"Pictures of this session", "此会话的图片"}, true
	case "ui.noPictures":
		return row{"none are attached", "没有附加图片"}, true
	case "ui.picturesKeys":
		return row{"Enter shows · x removes · ↑ ↓ choose · Esc closes", "Enter 查看 · x 移除 · ↑ ↓ 选择 · Esc 关闭"}, true
	case "ui.pictureGone":
		return row{"this picture has been removed", "此图片已被移除"}, true
	case "ui.pictureAt":
		return row{"{at} of {n}", "第 {at} 张，共 {n} 张"}, true
	case "ui.pictureRemove":
		return row{"x removes it", "x 移除"}, true
	case "ui.pictureTurn":
		return row{"← → others", "← → 其他图片"}, true
	case "ui.pictureClose":
		return row{"Esc closes", "Esc 关闭"}, true
	case "ui.pictureInWords":
		return row{"{name} is {w} by {h} pixels. It is not drawn here: few colours or plain signs leave only words.", "{name} 为 {w}×{h} 像素。此处不绘制图片：颜色不足或纯文本符号模式下仅以文字说明。"}, true
	case "ui.dropOne":
		return row{"Attach {name}?", "附加 {name}？"}, true
	case "ui.dropMany":
		return row{"Attach {name} and others, {n} in all?", "附加 {name} 等 {n} 张图片？"}, true
	case "ui.dropKeys":
		return row{"Enter attaches · Esc keeps the text", "Enter 附加 · Esc 保留为文字"}, true
	}
	return row{}, false
}
