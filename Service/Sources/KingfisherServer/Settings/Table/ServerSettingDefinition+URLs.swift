import KingfisherService

/// What decides the meaning of URLs.
extension ServerSettingDefinition {
    static let start = [
        Self(
            "config", .configuration, default: nil, "a file",
            "The file with settings; a flag or variable only."
        ) { _, _ throws(SettingReason) in },
        Self(
            "listen", default: "127.0.0.1:8080", "HOST:PORT, unix:PATH, systemd",
            "Where clients connect; port 0 lets the system choose, systemd is the socket of a socket unit."
        ) { value, draft throws(SettingReason) in draft.settings.listen = try value.listener() },
        Self(
            "admin-listen", default: "127.0.0.1:9090", "HOST:PORT, unix:PATH, systemd, none",
            "Where metrics, health, readiness and purges are served."
        ) { value, draft throws(SettingReason) in
            draft.settings.adminListen = value.text == "none" ? nil : try value.listener()
        },
        flag(
            "development",
            "For a computer of a developer: makes a signing key if there is none, serves a page at / to try images, and explains errors. Loopback only.",
            \.isDevelopment),
    ]

    static let urls = [
        flag("signing", "Whether URLs are signed; off on loopback only.", \.signs),
        secret(
            "signing-keys-file", "1…4 lines of hexadecimal digits, each 32 bytes or more",
            "The keys that sign URLs; the first one signs, all are accepted."
        ) { value, draft throws(SettingReason) in
            draft.signingKeys = try value.signingKeys(&draft.warnings)
        },
        text(
            "native-prefix", "/, or segments such as /images",
            "Where URLs of this service begin.", \.settings.urls.nativePrefix),
        Self(
            "preset.NAME", .family, default: nil, "steps and options, separated by /",
            "What preset:NAME in a URL stands for, not percent-encoded."
        ) { value, draft throws(SettingReason) in
            draft.settings.urls.presets[try value.name()] = value.text
        },
    ]

    static let compatibility = [
        text(
            "imgproxy-prefix", "/, or segments such as /imgproxy", "Where URLs of imgproxy begin.",
            \.imgproxy.prefix),
        secret(
            "imgproxy-keys-file", "lines KEY SALT in hexadecimal digits",
            "The keys of imgproxy's URLs. Without it they are refused."
        ) { value, draft throws(SettingReason) in
            draft.imgproxy.keys = try value.imgproxyKeys(&draft.warnings)
        },
        Self(
            "imgproxy-signature-size", default: "32", "8, 16…32", "The bytes of a signature of imgproxy."
        ) { value, draft throws(SettingReason) in
            draft.imgproxy.signatureSize = value.text == "8" ? 8 : try value.number(in: 16...32)
        },
        Self(
            "imgproxy-presets", default: "none", "NAME=OPTIONS, separated by commas",
            "Presets in imgproxy's grammar; default applies to every URL of imgproxy."
        ) { value, draft throws(SettingReason) in draft.imgproxy.presets = try value.imgproxyPresets() },
        flag(
            "imgproxy-only-presets", "Whether URLs of imgproxy have names of presets only.",
            \.imgproxy.usesOnlyPresets),
        text(
            "imgproxy-watermark", "a NAME of watermark.NAME", "The image that imgproxy's watermark draws.",
            \.imgproxy.watermark),
        text(
            "thumbor-prefix", "/, or segments such as /thumbor", "Where URLs of thumbor and imagor begin.",
            \.thumbor.prefix),
        secret(
            "thumbor-key-file", "one line", "The key of thumbor's URLs. Without it they are refused."
        ) { value, draft throws(SettingReason) in
            draft.thumbor.key = Array(try value.secretLine(atLeast: 1, &draft.warnings).utf8)
        },
        choice(
            "thumbor-algorithm", [("sha1", .sha1), ("sha256", .sha256), ("sha512", .sha512)],
            "The hash function of signatures.", \.thumbor.algorithm),
        number(
            "thumbor-signature-length", default: "all", in: 16...88,
            "The characters of a signature, if it is truncated.", \.thumbor.signatureLength),
        choice(
            "thumbor-scheme", [("http", "http"), ("https", "https")],
            "The scheme of sources without one.", \.thumbor.scheme),
        choice(
            "smart-crop", [("refuse", .refuse), ("center", .center)],
            "What happens to URLs that ask for a crop by content.", \.settings.urls.smartCrop),
        flag(
            "compat-negotiate", "Whether these URLs get their format by Accept.",
            \.settings.urls.negotiatesCompatibleURLs),
    ]

    static func secret(
        _ name: String, _ contents: String, _ summary: String,
        read: @escaping @Sendable (SettingValue, inout SettingsDraft) throws(SettingReason) -> Void
    ) -> Self {
        Self(name, .secretFile, default: nil, "a file: \(contents)", summary, read: read)
    }
}

extension SettingValue {
    /// The name of the member, as URLs can name it.
    func name() throws(SettingReason) -> String {
        guard member.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil else {
            throw SettingReason("A name is 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'.")
        }
        return member
    }

    fileprivate func imgproxyPresets() throws(SettingReason) -> [String: String] {
        var presets: [String: String] = [:]
        for element in try list() {
            let parts = element.split(separator: "=", maxSplits: 1).map(\.trimmedSpaces)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw SettingReason("\(SettingText.quoted(element)) is not NAME=OPTIONS.")
            }
            guard presets.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw SettingReason("\(SettingText.quoted(parts[0])) is defined twice.")
            }
        }
        return presets
    }
}
