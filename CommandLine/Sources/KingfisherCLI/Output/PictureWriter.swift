import Foundation
import Glibc

/// Encodes pictures and puts each where it belongs.
struct PictureWriter: Sendable {
    struct Written: Sendable {
        /// The file's path, or `-`.
        let path: String
        let format: OutputFormat
        let bytes: Int
    }

    private let target: OutputTarget
    private let encoding: OutputEncoding
    /// For each source, by its place in the list, the name its file gets in a folder, without extension.
    private let stems: [String]

    init(target: OutputTarget, encoding: OutputEncoding, sources: [String]) {
        self.target = target
        self.encoding = encoding
        let arguments = sources.map { try? SourceArgument($0, relativeTo: .currentFolder) }
        var names = FileStems(avoiding: Self.inputs(of: arguments, in: target))
        stems = arguments.map { $0.map { names.stem(for: $0) } ?? "" }
    }

    /// Writes the picture of the source at `index`; throws an `OutputError` where that cannot be done.
    func write(_ picture: LoadedPicture, index: Int) throws -> Written {
        let encoded = try encoding.encode(picture.image, original: picture.original)
        let path: String
        switch target {
        case .standardOutput:
            path = "-"
            try placing("standard output") { () throws(SystemError) in
                try OutputFile.write(encoded.bytes, to: STDOUT_FILENO)
            }
        case .file(let file):
            path = file
            try placing(path) { () throws(SystemError) in try OutputFile.write(encoded.bytes, to: path) }
        case .folder(let folder):
            if let folder {
                try placing(folder) { () throws(SystemError) in try OutputFile.makeFolder(folder) }
            }
            path = OutputTarget.path(of: "\(stems[index]).\(encoded.format.fileExtension)", in: folder)
            try placing(path) { () throws(SystemError) in try OutputFile.write(encoded.bytes, to: path) }
        }
        return Written(path: path, format: encoded.format, bytes: encoded.bytes.count)
    }

    /// Says of a failure where it was to be written, which the source's name does not tell.
    private func placing(_ place: String, _ body: () throws(SystemError) -> Void) throws(OutputError) {
        do { try body() } catch { throw OutputError(place: place, reason: error) }
    }

    /// Files that this run reads from the folder it writes to, and so must not replace.
    private static func inputs(of sources: [SourceArgument?], in target: OutputTarget) -> [URL] {
        guard case .folder(let folder) = target else { return [] }
        let written = URL(filePath: folder ?? ".", directoryHint: .isDirectory, relativeTo: .currentFolder)
            .absoluteURL.resolvingSymlinksInPath().path
        return sources.compactMap { source in
            guard case .file(let url)? = source else { return nil }
            let parent = url.deletingLastPathComponent().resolvingSymlinksInPath().path
            return parent == written ? url : nil
        }
    }
}

/// A place that cannot be written.
struct OutputError: Error, Hashable {
    let place: String
    let reason: SystemError
}
