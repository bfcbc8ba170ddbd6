import KingfisherService

/// Settings and remarks that variables of imgproxy have become.
struct ImgproxyImportDraft {
    private let variables: [String: String]
    private var settings: [(name: String, text: String)] = []
    private var remarks: [String] = []

    init(_ variables: [String: String]) { self.variables = variables }

    /// A file with the settings, and the remarks as comments.
    var text: String {
        let head = ["# Made by kingfisher-server import-imgproxy.", ""]
        // A remark may have a command on a second line, which is not wrapped.
        let notes = remarks.flatMap { remark in
            let parts = remark.split(separator: "\n").map(String.init)
            let lines = TextLayout.wrapped(parts[0], 96) + parts.dropFirst()
            return lines.prefix(1).map { "# \($0)" } + lines.dropFirst().map { "#   \($0)" }
        }
        let lines = settings.map { "\($0.name) = \($0.text)" }
        return (head + lines + (notes.isEmpty ? [] : [""] + notes)).joined(separator: "\n") + "\n"
    }

    /// Adds a setting, if its value is accepted alone. Files need not exist here.
    mutating func set(_ name: String, from variable: String, _ value: String?) {
        guard let value, let (definition, member) = SettingName.find(name),
            !settings.contains(where: { $0.name == name })
        else { return remark(variable, "the value has no counterpart in \(name).") }
        let isPath = definition.range.contains("file") || definition.range == "a folder"
        if !isPath {
            var draft = SettingsDraft()
            do throws(SettingReason) {
                try definition.read(SettingValue(text: value, member: member), &draft)
            } catch {
                return remark(variable, "is not accepted as \(name). \(error.text)")
            }
        }
        settings.append((name, value))
    }

    mutating func remark(_ variable: String, _ text: String) {
        remarks.append("\(ImgproxyImport.prefix)\(variable): \(text)")
    }

    /// Existing URLs stay valid: imgproxy's own begin where they did.
    mutating func addPaths() {
        var prefix = variables["PATH_PREFIX"] ?? "/"
        while prefix.count > 1, prefix.hasSuffix("/") { prefix.removeLast() }
        set("imgproxy-prefix", from: "PATH_PREFIX", prefix.hasPrefix("/") ? prefix : "/" + prefix)
        set("native-prefix", from: "PATH_PREFIX", prefix == "/k" ? "/kingfisher" : "/k")
    }

    /// `jpeg=70,avif=40`.
    mutating func setQualities(_ variable: String, _ value: String) {
        for part in value.split(separator: ",") {
            let pair = part.split(separator: "=").map(\.trimmedSpaces)
            guard pair.count == 2 else {
                remark(variable, "an element is not FORMAT=QUALITY.")
                continue
            }
            let name = "quality." + (pair[0] == "jpg" ? "jpeg" : pair[0])
            settings.removeAll { $0.name == name }
            set(name, from: variable, pair[1])
        }
    }

    mutating func addCombinations() {
        addPresets()
        addSources()
        addBuckets()
        addAddresses()
        addFormats()
        addKeys()
    }

    private mutating func addKeys() {
        settings.append(("signing-keys-file", "signing-keys"))
        remarks.append(
            "signing-keys-file: URLs of this service need a key:\n(umask 077; openssl rand -hex 32 > signing-keys)"
        )
        guard variables["KEY"] != nil, variables["SALT"] != nil else {
            remarks.append(
                "IMGPROXY_KEY, IMGPROXY_SALT: imgproxy accepted URLs without signatures. Here they need keys in"
                    + " imgproxy-keys-file, or signing = off on loopback.")
            settings.removeAll { $0.name.hasPrefix("imgproxy-") || $0.name == "native-prefix" }
            return
        }
        settings.append(("imgproxy-keys-file", "imgproxy-keys"))
        remarks.append(
            "imgproxy-keys-file: a line KEY SALT for each pair:\n"
                + #"(umask 077; paste -d" " <(tr , "\n" <<<"$IMGPROXY_KEY")"#
                + #" <(tr , "\n" <<<"$IMGPROXY_SALT") > imgproxy-keys)"#)
    }

    private mutating func addPresets() {
        guard let presets = variables["PRESETS"] else { return }
        let separator = variables["PRESETS_SEPARATOR"] ?? ","
        let list = presets.components(at: separator)
        guard !list.contains(where: { $0.contains(",") }) else {
            return remark("PRESETS", "a preset has a comma, which separates presets here.")
        }
        set("imgproxy-presets", from: "PRESETS", list.joined(separator: ","))
    }

    /// Prefixes of texts become URLs with path prefixes.
    private mutating func addSources() {
        guard let list = variables["ALLOWED_SOURCES"] else { return }
        var allowed: [String] = []
        for entry in list.components(at: ",") where !entry.hasPrefix("local://") && !entry.hasPrefix("s3://")
        {
            var settings = ServiceSettings(signing: .off)
            settings.sources.allowed = [entry]
            do throws(ServiceSettingsError) {
                _ = try ServiceURLs(settings)
                allowed.append(entry)
            } catch {
                remark("ALLOWED_SOURCES", error.reason)
            }
        }
        set(
            "allowed-sources", from: "ALLOWED_SOURCES",
            allowed.isEmpty ? "none" : allowed.joined(separator: ","))
    }

    private mutating func addBuckets() {
        guard variables["USE_S3"].flatMap(ImgproxyImport.isTrue) == true else {
            settings.removeAll { $0.name.hasPrefix("s3-") }
            return
        }
        let entries = (variables["ALLOWED_SOURCES"] ?? "").components(at: ",")
        let named = entries.filter { $0.hasPrefix("s3://") }.compactMap {
            $0.split(separator: "/").dropFirst().first
        }
        let buckets = variables["S3_ALLOWED_BUCKETS"] ?? named.joined(separator: ",")
        guard !buckets.isEmpty else {
            settings.removeAll { $0.name.hasPrefix("s3-") }
            return remark("USE_S3", "set s3-buckets, s3-region and s3-endpoint; not all buckets are allowed.")
        }
        set("s3-buckets", from: "USE_S3", buckets)
        remark("USE_S3", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are read, or s3-credentials-file.")
    }

    private mutating func addAddresses() {
        let groups = [
            ("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "127.0.0.0/8,::1/128"),
            ("ALLOW_LINK_LOCAL_SOURCE_ADDRESSES", "169.254.0.0/16,fe80::/10"),
            ("ALLOW_PRIVATE_SOURCE_ADDRESSES", "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"),
        ]
        let allowed = groups.filter { variables[$0.0].flatMap(ImgproxyImport.isTrue) == true }
        if !allowed.isEmpty {
            set("allow-addresses", from: allowed[0].0, allowed.map(\.1).joined(separator: ","))
        }
        if variables["ALLOW_PRIVATE_SOURCE_ADDRESSES"] == nil {
            remark(
                "ALLOW_PRIVATE_SOURCE_ADDRESSES",
                "imgproxy allows private addresses by default. Here allow-addresses names the ones that are needed."
            )
        }
    }

    private mutating func addFormats() {
        let formats = ["avif", "webp", "jxl"].filter { name in
            ["AUTO_\(name.uppercased())", "ENABLE_\(name.uppercased())_DETECTION"].contains { variable in
                variables[variable].flatMap(ImgproxyImport.isTrue) == true
            }
        }
        guard let first = formats.first else { return }
        set("compat-negotiate", from: "AUTO_\(first.uppercased())", "on")
        set("formats", from: "AUTO_\(first.uppercased())", formats.joined(separator: ","))
    }
}

extension String {
    /// The parts between separators, trimmed, without empty ones.
    fileprivate func components(at separator: String) -> [String] {
        split(separator: separator).map(\.trimmedSpaces).filter { !$0.isEmpty }
    }
}
