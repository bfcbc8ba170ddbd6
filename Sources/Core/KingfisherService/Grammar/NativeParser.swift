import Kingfisher

/// Parses the verified part of a path: segments and a source.
struct NativeParser {
    private let path: VerifiedPath
    /// The offset of the verified part in the path as received, in bytes.
    private let start: Int
    private let kind: ServiceRequest.Kind
    private let settings: ServiceSettings
    private let presets: [String: [ServiceSegment]]

    init(
        _ path: VerifiedPath, from start: Int, _ kind: ServiceRequest.Kind, _ settings: ServiceSettings,
        _ presets: [String: [ServiceSegment]]
    ) {
        (self.path, self.start, self.kind) = (path, start, kind)
        (self.settings, self.presets) = (settings, presets)
    }

    func request() throws(ServiceError) -> ServiceRequest {
        if let index = path.text.utf8.firstIndex(where: { "?#".utf8.contains($0) }) {
            throw error("Write ? as %3F and # as %23.", index)
        }
        guard let position = SourcePosition(in: path.text[...]) else {
            throw error("The path has no source: plain/, b64/ or upload.", path.text.endIndex)
        }
        let segments = try segments(of: position.head)
        let (name, format) = try named(position)
        let options = try located(format?.at ?? position.content.startIndex) { () throws(ServiceError) in
            try segments.options(format: format?.value)
        }
        let source = try source(name, position)
        if source == .upload, options.expires == nil {
            throw error("An upload needs the option 'expires'.", position.content.startIndex)
        }
        return ServiceRequest(kind: kind, steps: segments.steps, options: options, source: source)
    }

    // MARK: Segments

    private func segments(of head: Substring) throws(ServiceError) -> SegmentList {
        var list = SegmentList(kind, presets: presets)
        let texts = ByteText.split(head, at: "/").dropFirst()
        if let text = texts.dropFirst(SegmentList.maximum).first {
            throw error("More than \(SegmentList.maximum) segments.", text.startIndex)
        }
        for text in texts {
            guard !text.isEmpty else { throw error("A segment is empty.", text.startIndex) }
            let decoded = try decoded(text)
            try located(text.startIndex) { () throws(ServiceError) in
                try list.add(ServiceSegment(decoded, settings))
                guard kind == .image || list.steps.isEmpty else {
                    throw ServiceError(400, "Information about a source has no steps.")
                }
            }
        }
        return list
    }

    // MARK: Source

    private typealias Format = (value: ServiceOptions.Format, at: String.Index)

    /// The source as received, and the format after it.
    private func named(_ position: SourcePosition) throws(ServiceError) -> (Substring, Format?) {
        let separator = position.keyword.formatSeparator
        let parts = ByteText.split(position.content, at: separator)
        guard parts.count > 1 else { return (position.content, nil) }
        let hint = position.keyword == .plain ? " Write @ as %40." : ""
        guard parts.count == 2 else {
            throw error("The source has more than one '\(separator)'.\(hint)", parts[2].startIndex)
        }
        guard let format = OutputFormat.named(parts[1]) else {
            let message = "After '\(separator)' is a format: \(OutputFormat.names).\(hint)"
            throw error(message, parts[1].startIndex)
        }
        return (parts[0], (.exactly(format), parts[1].startIndex))
    }

    private func source(
        _ name: Substring, _ position: SourcePosition
    ) throws(ServiceError) -> ServiceSource {
        let text: String
        switch position.keyword {
        case .upload:
            guard name.isEmpty else { throw error("Nothing follows 'upload'.", name.startIndex) }
            return .upload
        case .plain: text = try decoded(name)
        case .b64: text = try decodedBase64(name)
        }
        guard !text.isEmpty else { throw error("The source is empty.", name.startIndex) }
        return try located(name.startIndex) { () throws(ServiceError) in
            try settings.sources.source(named: text)
        }
    }

    private func decodedBase64(_ name: Substring) throws(ServiceError) -> String {
        let digits = String(decoding: name.utf8.filter { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        guard let bytes = Base64URL.decode(digits), let text = String(validating: bytes, as: UTF8.self) else {
            throw error("The source is not UTF-8 in Base64 for URLs.", name.startIndex)
        }
        return text
    }

    // MARK: Errors

    private func decoded(_ text: Substring) throws(ServiceError) -> String {
        do {
            return try PercentEncoding.decode(text)
        } catch .badEscape(let offset) {
            let index = text.utf8.index(text.startIndex, offsetBy: offset)
            throw error("A % needs two hexadecimal digits; write % as %25.", index)
        } catch .notUTF8 {
            throw error("The text is not UTF-8.", text.startIndex)
        } catch {
            throw self.error("The text has a control character.", text.startIndex)
        }
    }

    private func error(_ message: String, _ index: String.Index) -> ServiceError {
        ServiceError(400, message, at: start + path.offset(of: index))
    }

    private func located<Value>(
        _ index: String.Index, _ body: () throws(ServiceError) -> Value
    ) throws(ServiceError) -> Value {
        do {
            return try body()
        } catch {
            throw error.located(at: start + path.offset(of: index))
        }
    }
}
