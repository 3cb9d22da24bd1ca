package words

// connectionText is what is said of a model connection, of its faults and of its test.
func connectionText(key string) (row, bool) {
	switch key {
	case "connection.missing":
		return row{"the model connection is only half there: {what}[ (keys that were given: {whose})]", "模型连接不完整：{what}[（已提供的密钥：{whose}）]"}, true
	case "connection.lacks.provider":
		return row{"no provider or base URL is named; use --provider or --base-url, AGENT_PROVIDER or LLM_BASE_URL", "缺少服务商或基础地址，请用 --provider 或 --base-url，或 AGENT_PROVIDER、LLM_BASE_URL"}, true
	case "connection.lacks.baseURL":
		return row{"the base URL is missing; use --base-url or LLM_BASE_URL", "缺少基础地址，请用 --base-url 或 LLM_BASE_URL"}, true
	case "connection.lacks.model":
		return row{"the model is missing; use --model or AGENT_MODEL", "缺少模型名称，请用 --model 或 AGENT_MODEL"}, true
	case "connection.lacks.key":
		return row{"a key for {origin} is missing; use --key-file, {variable}, or the connection form (/model)", "缺少 {origin} 的密钥，请用 --key-file、{variable}，或连接表单（/model）"}, true
	case "connection.scripted":
		return row{"the scripted model has no use for {flag}; leave it away, or name another provider", "脚本模型不需要 {flag}；请去掉它，或指定其他服务商"}, true
	case "connection.keyElsewhere":
		return row{"the key of --key-file belongs to {origin}, which is not where this connection leads; name the server of the key with --base-url", "--key-file 的密钥属于 {origin}，与此连接的服务器不符；请用 --base-url 指定密钥所属的服务器"}, true
	case "connection.thinksNot":
		return row{"{model} has no thinking levels; leave the level away", "{model} 没有思考级别，请不要设置"}, true
	case "connection.loose":
		return row{"{flag} belongs to a connection, and none is named; add --model with --provider or --base-url", "{flag} 属于某个连接，但没有指定连接；请加上 --model 以及 --provider 或 --base-url"}, true
	case "connection.openFile":
		return row{"{path} holds a key and can be read by others; chmod 600 keeps it to you", "{path} 含有密钥，其他用户可以读取；请用 chmod 600 限制"}, true
	case "connection.proxy":
		return row{"public models are reached through the proxy {proxy}, which looks their names up: only the text of an address is checked, not where the name leads", "公网模型经代理 {proxy} 连接，域名由它解析：程序只检查地址的写法，无法检查它实际指向哪里"}, true
	case "connection.foreignName":
		return row{"the host is {host}, a name in other letters that may look like one you know; make sure it is the one you mean", "主机名是 {host}，由其他文字写成，可能与您熟悉的名称相似，请确认无误"}, true
	case "connection.ollama":
		return row{"Ollama on this machine", "本机的 Ollama"}, true
	case "connection.listsOpenAI":
		return row{"no connection is set, so these are OpenAI's; --provider names another", "未设置连接，以下为 OpenAI 的模型；可用 --provider 指定其他服务商"}, true
	case "connection.noCatalogue":
		return row{"no models are known for this address; any model id may be typed", "没有此地址的已知模型；可以直接输入任意模型名称"}, true
	}
	return connectionTestText(key)
}

// connectionTestText is what a test found, with what to do.
func connectionTestText(key string) (row, bool) {
	switch key {
	case "connection.test.ok":
		return row{"{model} at {host} answers", "{host} 的 {model} 已应答"}, true
	case "connection.test.scripted":
		return row{"the scripted model needs no connection", "脚本模型不需要连接"}, true
	case "connection.test.dns":
		return row{"the name {host} was not found; check the base URL and this computer's network", "找不到主机名 {host}，请检查基础地址和本机网络"}, true
	case "connection.test.connect":
		return row{"nothing answers at {host}; start the model server, or check the base URL and its port", "{host} 没有应答，请启动模型服务器，或检查基础地址和端口"}, true
	case "connection.test.guard":
		return row{"the address may not be used[: {said}]", "不允许使用此地址[：{said}]"}, true
	case "connection.test.tls":
		return row{"no trusted encrypted connection to {host}; check https and the port, this computer's date, and whether a proxy stands between", "无法与 {host} 建立可信的加密连接，请检查 https 与端口、本机日期，以及中间是否有代理"}, true
	case "connection.test.proxy":
		return row{"the proxy does not open the way to {host}; check --model-proxy, whether the proxy runs, and whether it wants a name and a password", "代理未能连通 {host}，请检查 --model-proxy、代理是否在运行，以及是否需要用户名和密码"}, true
	case "connection.test.keyless":
		return row{"{host} wants a key, and none was sent[; it says “{said}”]; a key of {origin} comes by the form (/model), --key-file or {variable}", "{host} 需要密钥，但没有发送密钥[，它说“{said}”]，请通过连接表单（/model）、--key-file 或 {variable} 提供 {origin} 的密钥"}, true
	case "connection.test.auth":
		return row{"{host} refuses the key[ and says “{said}”]; check that it is a key of {origin}", "{host} 拒绝此密钥[，并说“{said}”]，请确认它属于 {origin}"}, true
	case "connection.test.denied":
		return row{"{host} does not allow this[ and says “{said}”]; check what the key may use, and from where", "{host} 不允许此操作[，并说“{said}”]，请确认密钥的权限和使用地区"}, true
	case "connection.test.model":
		return row{"{host} does not know the model {model}[ and says “{said}”]; check the model id", "{host} 没有模型 {model}[，它说“{said}”]，请检查模型名称"}, true
	case "connection.test.address":
		return row{"{host} has no API {api} at this address[; it says “{said}”]; check the base URL, which often ends in /v1", "{host} 的此地址没有 {api} 接口[，它说“{said}”]，请检查基础地址，通常以 /v1 结尾"}, true
	case "connection.test.request":
		return row{"{host} calls the request wrong[: “{said}”]; check that the model takes tools and that the API {api} is the server's", "{host} 认为请求有误[：“{said}”]，请确认模型支持工具且服务器使用 {api} 接口"}, true
	case "connection.test.dropped":
		return row{"{host} took the connection and closed it without an answer; check the base URL's scheme and port, then test again", "{host} 接受了连接却未应答就关闭，请检查地址的协议和端口后再测"}, true
	case "connection.test.plain":
		return row{"{host} does not speak https there; check the port, or write http:// if it is on this computer or in your network", "{host} 的该端口不支持 https，请检查端口；若在本机或本地网络，可改用 http://"}, true
	case "connection.test.quota":
		return row{"the key works, but the account has no quota or credit left[; it says “{said}”]; see the provider's billing page", "密钥有效，但账户的配额或余额已用完[，服务商说“{said}”]，请查看账单页面"}, true
	case "connection.test.rate":
		return row{"the key works, but {host} limits the rate of requests just now; wait a little and test again", "密钥有效，但 {host} 目前限制请求频率，请稍后再测"}, true
	case "connection.test.server":
		return row{"{host} has a fault or is overloaded[; it says “{said}”]; test again in a moment", "{host} 发生故障或过载[，它说“{said}”]，请稍后再测"}, true
	case "connection.test.format":
		return row{"what {host} answers is no answer of the API {api}[; it says “{said}”]; check the base URL and the API", "{host} 的应答不是 {api} 接口的格式[，它说“{said}”]，请检查基础地址和接口"}, true
	case "connection.test.timeout":
		return row{"{host} did not answer within 15 seconds; see whether the model is still loading, then test again", "{host} 在 15 秒内没有应答，请确认模型是否仍在加载，然后再测"}, true
	}
	return refusedText(key)
}

// refusedText is why an address is refused, by the guard's reasons. The guard itself says in English
// what it found in which address; here it is the kind.
func refusedText(key string) (row, bool) {
	switch key {
	case "connection.refused.localhost":
		return row{"it is this computer; allow it by --allow-localhost-models or the switch in the form", "它是本机地址，请用 --allow-localhost-models 或表单中的开关允许"}, true
	case "connection.refused.private":
		return row{"it is in a private network; allow it by --allow-private-models or the switch in the form", "它在私有网络中，请用 --allow-private-models 或表单中的开关允许"}, true
	case "connection.refused.http":
		return row{"only https goes out to public servers", "公网服务器只能用 https"}, true
	case "connection.refused.redirect":
		return row{"the server redirects elsewhere, which is never followed", "服务器重定向到别处，程序从不跟随，请填写直接应答的地址"}, true
	case "connection.refused.malformed":
		return row{"it is no address; it looks like https://HOST/v1", "它不是有效的地址，应形如 https://HOST/v1"}, true
	case "connection.refused.too_long":
		return row{"it is too long; check what was pasted", "它太长，请检查粘贴的内容"}, true
	case "connection.refused.scheme":
		return row{"it must begin with https://", "它必须以 https:// 开头"}, true
	case "connection.refused.userinfo":
		return row{"it must not hold a name or password before an @; the key has its own setting", "@ 之前不能有用户名或密码，密钥请填在密钥设置中"}, true
	case "connection.refused.query":
		return row{"it must not hold a ?; leave it and everything after it away", "不能含有 ?，请去掉它和后面的内容"}, true
	case "connection.refused.fragment":
		return row{"it must not hold a #; leave it and everything after it away", "不能含有 #，请去掉它和后面的内容"}, true
	case "connection.refused.host":
		return row{"its host is missing or is no name; check its spelling", "主机名缺失或不合法，请检查拼写"}, true
	case "connection.refused.non_ascii":
		return row{"the host is not written in ASCII letters; give its xn-- spelling if that is what you mean", "主机名含有非 ASCII 字符；如确实如此，请用 xn-- 写法"}, true
	case "connection.refused.number":
		return row{"the host ends in a number but is no address of four plain numbers, as 192.168.1.10", "主机名以数字结尾，却不是 192.168.1.10 这样的地址"}, true
	case "connection.refused.zone":
		return row{"it names a network interface after a %; only addresses that work without one are dialled", "% 之后指定了网络接口，程序只连接不需要接口的地址"}, true
	case "connection.refused.port":
		return row{"the port is none, or belongs to another kind of service", "端口无效，或属于其他服务"}, true
	}
	return neverText(key)
}

// neverText is about what no policy allows.
func neverText(key string) (row, bool) {
	switch key {
	case "connection.refused.metadata":
		return row{"it belongs to a cloud's own service, which is never dialled", "它属于云平台的内部服务，程序从不连接"}, true
	case "connection.refused.not_private":
		return row{"it is out in the world although the name is one of a private network; check this computer's name servers", "这个私有网络名称却指向公网，请检查本机的 DNS 设置"}, true
	case "connection.refused.link_local":
		return row{"it is link-local and never dialled", "它是链路本地地址，程序从不连接"}, true
	case "connection.refused.multicast":
		return row{"it is a multicast address and never dialled", "它是组播地址，程序从不连接"}, true
	case "connection.refused.unspecified":
		return row{"it is no server's address; write 127.0.0.1 for this computer", "它不是服务器的地址；本机请写 127.0.0.1"}, true
	case "connection.refused.reserved":
		return row{"it is reserved for other uses and never dialled", "它保留作其他用途，程序从不连接"}, true
	case "connection.refused.embedded":
		return row{"it hides an IPv4 address in an IPv6 one; give the plain address", "它在 IPv6 中夹带了 IPv4 地址，请直接填写原地址"}, true
	case "connection.refused.proxy_dns":
		return row{"a proxy program answers the lookup; name the proxy itself with --model-proxy URL, or let it leave this name alone", "域名由代理程序应答；请用 --model-proxy URL 指定该代理，或让代理不处理此域名"}, true
	case "connection.refused.own":
		return row{"it is this program itself", "它就是本程序自己"}, true
	}
	return row{}, false
}
