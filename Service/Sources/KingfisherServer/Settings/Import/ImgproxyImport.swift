import Foundation
import KingfisherService

/// A file with settings for what variables of imgproxy say. It has no secrets.
struct ImgproxyImport {
    static let prefix = "IMGPROXY_"

    /// Variables with the prefix, without it and without empty ones.
    private let variables: [String: String]

    init(_ environment: [String: String]) {
        variables = environment.reduce(into: [:]) { variables, variable in
            let value = variable.value.trimmedSpaces
            guard variable.key.hasPrefix(Self.prefix), !value.isEmpty else { return }
            variables[String(variable.key.dropFirst(Self.prefix.count))] = value
        }
    }

    /// The variables of a file for Docker, systemd or a shell: lines `NAME=VALUE`, of which the last one of a
    /// name counts. Comments are lines with `#`; `export` and quotes around a value are not a part of it.
    static func variables(in file: String) -> [String: String] {
        var variables: [String: String] = [:]
        for line in file.split(whereSeparator: \.isNewline) {
            let line = line.trimmedSpaces
            guard !line.hasPrefix("#"), let sign = line.firstIndex(of: "=") else { continue }
            let name = line[..<sign]
            var value = line[line.index(after: sign)...].trimmedSpaces
            if value.count > 1, let quote = value.first, "\"'".contains(quote), value.last == quote {
                value = String(value.dropFirst().dropLast())
            }
            variables[(name.hasPrefix("export ") ? name.dropFirst(7) : name).trimmedSpaces] = value
        }
        return variables
    }

    var isEmpty: Bool { variables.isEmpty }

    var text: String {
        var draft = ImgproxyImportDraft(variables)
        draft.addPaths()
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
            guard !value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
                draft.remark(name, "the value has line breaks or control characters.")
                continue
            }
            guard let row = Self.rows[name] else {
                draft.remark(name, "is not known here.")
                continue
            }
            row(name, value, &draft)
        }
        draft.addCombinations()
        return draft.text
    }

    typealias Row = @Sendable (String, String, inout ImgproxyImportDraft) -> Void

    /// What each variable becomes.
    private static let rows: [String: Row] = {
        var rows = values.mapValues { kind -> Row in
            { name, value, draft in draft.set(kind.setting, from: name, kind.convert(value)) }
        }
        rows["PROMETHEUS_BIND"] = { name, value, draft in
            draft.set("admin-listen", from: name, address(value))
            guard value.hasPrefix(":") else { return }
            draft.remark(
                name, "all interfaces: each client that reaches the port can read metrics and send purges.")
        }
        for name in combined { rows[name] = { _, _, _ in } }
        for (name, reason) in unsupported { rows[name] = { name, _, draft in draft.remark(name, reason) } }
        rows["FORMAT_QUALITY"] = { name, value, draft in draft.setQualities(name, value) }
        rows["MAX_ANIMATION_FRAMES"] = { name, value, draft in
            draft.set("frames", from: name, value == "1" ? "first" : "all")
            if value != "1" {
                draft.set("max-frames", from: name, value)
                draft.remark(name, "a source with more frames is refused, not truncated.")
            }
        }
        rows["FALLBACK_IMAGE_PATH"] = { name, value, draft in
            draft.set("fallback.imgproxy", from: name, value)
            draft.remark(name, "only URLs of this service have it, with fallback:imgproxy.")
        }
        rows["WATERMARK_PATH"] = { name, value, draft in
            draft.set("watermark.imgproxy", from: name, value)
            draft.set("imgproxy-watermark", from: name, "imgproxy")
        }
        return rows
    }()
}
