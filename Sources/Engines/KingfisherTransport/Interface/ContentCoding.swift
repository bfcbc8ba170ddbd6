/// A content coding of a body. Those that change nothing are omitted.
enum ContentCoding: Equatable {
    case gzip, deflate
    /// A registered coding (IANA, HTTP Content Coding Registry) that is not decoded here.
    case unsupported(String)
    /// Another name, such as `base64`, `aws-chunked` or `utf-8`. Browsers take such a body as it is.
    case unknown

    /// The codings of a `Content-Encoding`, in the order in which the server has applied them.
    static func list(_ field: String) -> [ContentCoding] {
        field.split(separator: ",").compactMap { name in
            let name = name.lowercased().filter { !$0.isWhitespace }
            return switch name {
            case "", "identity", "none": nil
            case "gzip", "x-gzip": .gzip
            case "deflate": .deflate
            case "br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip":
                .unsupported(name)
            default: .unknown
            }
        }
    }
}
