import Glibc

/// Conversion of system strings, such as arguments and file names, which are not always UTF-8.
///
/// A byte that is not part of valid UTF-8 becomes the private-use scalar U+10F700 plus the byte. If the input
/// contains such a scalar, its bytes are converted in the same way, so the conversion is reversible.
enum SystemText {
    static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.rawByte != nil })
        {
            return text
        }
        var result = ""
        var rest = bytes[...]
        while let first = rest.first {
            let scalar = String(validating: rest.prefix(length(leadByte: first)), as: UTF8.self)?
                .unicodeScalars.first
            if let scalar, scalar.rawByte == nil {
                result.unicodeScalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                Unicode.Scalar(rawByte: first).map { result.unicodeScalars.append($0) }
                rest = rest.dropFirst()
            }
        }
        return result
    }

    static func text(_ bytes: UnsafePointer<CChar>) -> String {
        text([UInt8](UnsafeRawBufferPointer(start: bytes, count: strlen(bytes))))
    }

    static func bytes(_ text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: { $0.rawByte != nil }) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar -> [UInt8] in
            scalar.rawByte.map { [$0] } ?? Array(UTF8.encode(scalar) ?? .init())
        }
    }

    static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { text($0) } }
    }

    /// The length of the UTF-8 sequence with this first byte; 1 if invalid.
    private static func length(leadByte: UInt8) -> Int {
        switch leadByte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

extension String {
    /// Whether the text contains bytes that are not UTF-8.
    var hasRawBytes: Bool { unicodeScalars.contains { $0.rawByte != nil } }

    /// The text for a URL, with such bytes as `%E9`.
    var percentEncodingRawBytes: String {
        guard hasRawBytes else { return self }
        return unicodeScalars.reduce(into: "") { result, scalar in
            if let byte = scalar.rawByte {
                result += "%" + byte.hexadecimal
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    func withSystemPath<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
        let path = SystemText.bytes(self).map { CChar(truncatingIfNeeded: $0) } + [0]
        // The array converts to a pointer for the duration of the call.
        return body(path)
    }

    /// The result of `stat`, which follows links; nil on failure, with the reason in `errno`.
    var fileStatus: stat? {
        var status = stat()
        return withSystemPath { stat($0, &status) } == 0 ? status : nil
    }

    /// Whether the path is a folder, after following links.
    var isFolder: Bool { fileStatus.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

    /// The absolute path without links and `..`; nil on failure, with the reason in `errno`.
    var realPath: String? {
        guard let path = withSystemPath({ realpath($0, nil) }) else { return nil }
        defer { free(path) }
        return SystemText.text(path)
    }

    /// The folder of a path, and the last component.
    var folderAndName: (folder: String, name: String) {
        var trimmed = self[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
        let folder = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
        return (folder, String(trimmed[slash...].dropFirst()))
    }
}

extension UInt8 {
    var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16, uppercase: true) }
}

extension Unicode.Scalar {
    /// The scalar for a byte that is not UTF-8; nil for ASCII.
    fileprivate init?(rawByte: UInt8) {
        guard rawByte >= 0x80 else { return nil }
        self.init(0x10_F700 + UInt32(rawByte))
    }

    var rawByte: UInt8? { (0x10_F780...0x10_F7FF).contains(value) ? UInt8(value - 0x10_F700) : nil }
}
