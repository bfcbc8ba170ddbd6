import Foundation
import Kingfisher

enum SourceArgument: Hashable, Sendable {
    case remote(URL)
    case file(URL)
    /// A frame of a video, which is a file or on a server, and its time.
    case frame(URL, seconds: TimeInterval)
    case inline(Data)
    case standardInput

    /// Parses an http(s) or file URL, a `data:` URI, a path relative to `folder`, or `-`; with a time such as
    /// `#t=12.5`, a frame of a video.
    init(_ text: String, relativeTo folder: URL) throws(SourceArgumentError) {
        let (video, seconds) = text.splitAtTime
        guard let seconds else {
            try self.init(image: text, relativeTo: folder)
            return
        }
        switch try SourceArgument(image: video, relativeTo: folder) {
        case .remote(let url): self = .frame(url, seconds: seconds)
        case .file(let url): self = .frame(url, seconds: seconds)
        case .frame, .inline, .standardInput: throw .timeOfNoVideo
        }
    }

    private init(image text: String, relativeTo folder: URL) throws(SourceArgumentError) {
        if text == "-" {
            self = .standardInput
            return
        }
        let scheme = Self.scheme(of: text)
        switch scheme {
        case "http", "https":
            guard let url = URL(webText: text.percentEncodingRawBytes), let host = url.host(), !host.isEmpty
            else { throw .invalidURL }
            self = .remote(url)
        case "data":
            guard let bytes = try? DataURLImageDataProvider(text).decoded() else { throw .invalidDataURI }
            self = .inline(bytes)
        case "file":
            guard let url = URL(webText: text.percentEncodingRawBytes), url.isFileURL else {
                throw .invalidURL
            }
            // As in the library; a file of another host is not the local one with its path (RFC 8089, 3).
            guard ["", "localhost"].contains(url.host()?.lowercased() ?? "") else { throw .otherHost }
            // Decodes the path, which need not be UTF-8.
            guard
                let path = try? DataURLImageDataProvider("data:,\(url.path(percentEncoded: true))").decoded(),
                !path.isEmpty, !path.contains(0)
            else { throw .invalidURL }
            self = .file(URL(filePath: SystemText.text(Array(path))).standardizedFileURL)
        case let scheme? where text.dropFirst(scheme.count).hasPrefix("://"):
            throw .unsupportedScheme(scheme)
        default:
            guard !text.isEmpty, !text.utf8.contains(0) else { throw .emptySource }
            self = .file(Self.fileURL(text, folder))
        }
    }

    /// The file that is read.
    var fileURL: URL? {
        switch self {
        case .file(let url): url
        case .frame(let url, _): url.isFileURL ? url : nil
        case .remote, .inline, .standardInput: nil
        }
    }

    /// A standardized URL, so that a file has one cache key; `..` after a link is resolved as the system
    /// does.
    private static func fileURL(_ path: String, _ folder: URL) -> URL {
        let (parent, name) = path.folderAndName
        if parent.split(separator: "/").contains(".."),
            let real = (path.hasPrefix("/") ? parent : "\(folder.path)/\(parent)").realPath
        {
            return URL(filePath: real == "/" ? "/\(name)" : "\(real)/\(name)").standardizedFileURL
        }
        return URL(filePath: path, relativeTo: folder).absoluteURL.standardizedFileURL
    }

    /// The text before the first colon, lower case, if it is a valid scheme (RFC 3986, 3.1).
    private static func scheme(of text: String) -> String? {
        let (head, tail) = text.split(at: ":")
        guard tail != nil, let first = head.first, first.isASCII, first.isLetter else { return nil }
        let rest = head.dropFirst().allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
        }
        return rest ? head.lowercased() : nil
    }
}

enum SourceArgumentError: Error, Hashable {
    case emptySource
    case invalidURL
    case otherHost
    case unsupportedScheme(String)
    case invalidDataURI
    case timeOfNoVideo
}

extension String {
    /// The text before a temporal fragment (Media Fragments URI 1.0, 4.2.1), and the seconds at which it
    /// begins: `#t=12.5`, `#t=npt:1:02:03`, `#t=10,20`. Without one, and for a file with such a name, the
    /// text and nil.
    fileprivate var splitAtTime: (String, TimeInterval?) {
        let pattern = /^(.+)#t=(?:npt:)?(?:(?:(\d+):)?([0-5]?\d):)?(\d+(?:\.\d*)?)(?:,[\d:.]*)?$/
        guard let match = wholeMatch(of: pattern), fileStatus == nil else { return (self, nil) }
        let parts = [match.2 ?? "0", match.3 ?? "0", match.4].map { Double($0) ?? 0 }
        guard match.3 == nil || parts[2] < 60 else { return (self, nil) }
        return (String(match.1), (parts[0] * 60 + parts[1]) * 60 + parts[2])
    }
}
