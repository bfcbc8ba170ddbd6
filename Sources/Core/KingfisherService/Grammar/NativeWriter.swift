import Kingfisher

/// Writes requests as canonical paths: steps in order, options in the order of their table, the format after
/// the source.
enum NativeWriter {
    /// The path below the prefix, with a slash at its start.
    static func path(for request: ServiceRequest) -> String {
        let format: String? =
            switch request.options.format {
            case .exactly: FormatArgument.write(request.options)
            case .negotiated, .original: nil
            }
        let head = request.kind == .information ? "/" + SignedPath.information : ""
        return head + segments(of: request).map { "/" + encoded($0) }.joined()
            + source(request.source, format)
    }

    /// Steps and options, not percent-encoded. A format that is given is not among them.
    static func segments(of request: ServiceRequest) -> [String] {
        var options = request.options
        if case .exactly = options.format { options.format = .negotiated }
        return request.steps.map(\.text) + ServiceOptionDefinition.all.compactMap { $0.segment(of: options) }
    }

    /// Dot segments are in Base64, because clients remove them from a path.
    private static func source(_ source: ServiceSource, _ format: String?) -> String {
        guard let name = source.name else { return "/upload" + (format.map { "@" + $0 } ?? "") }
        if DotSegments.isFound(in: name) {
            return "/b64/" + Base64URL.encode(Array(name.utf8)) + (format.map { "." + $0 } ?? "")
        }
        return "/plain/" + encoded(name, except: "/") + (format.map { "@" + $0 } ?? "")
    }

    private static func encoded(_ text: String, except others: String = "") -> String {
        PercentEncoding.encode(text) { byte in
            (URLBytes.isPathByte(byte) && byte != UInt8(ascii: "@")) || others.utf8.contains(byte)
        }
    }
}
