import Foundation
import Glibc
import Kingfisher

struct ImageWriter: Sendable {
    struct Written: Sendable {
        let path: String
        let format: OutputFormat
        let bytes: Int
        let info: ImageInfo?
        let gainMap: OutputGainMap?
    }

    private let target: OutputTarget
    /// File names without extension, by the index of the source.
    private let stems: [String]

    /// The files that this run reads, and therefore must not replace.
    private let inputs: Set<FilePlace>

    /// The extensions of the sources, if files keep them.
    private let extensions: [String]?

    /// Removes temporary files of killed runs from the output folder. In a folder, files get the extensions
    /// of their format, or with `keepsExtensions` the extensions of their sources.
    init(target: OutputTarget, sources: [String], keepsExtensions: Bool = false) {
        self.target = target
        extensions = keepsExtensions ? sources.map(\.fileExtension) : nil
        let arguments = sources.map { try? SourceArgument($0, relativeTo: .currentFolder) }
        let files = arguments.compactMap { $0?.fileURL }
        inputs = Set(files.flatMap { FilePlace.all(of: $0.path) })
        var names = FileStems(avoiding: Self.files(files, in: target), keepsExtensions: keepsExtensions)
        stems = arguments.map { $0.map { names.stem(for: $0) } ?? "" }
        if let folder = target.folder { LeftoverFiles.remove(from: folder) }
    }

    /// Writes the file of the source at `index`; `prepare` is as for `OutputFile`. Throws an `OutputError` on
    /// failure, and `OutputIsSource` if a source would be replaced.
    func write(
        _ encoded: OutputEncoding.Encoded, index: Int,
        prepare: (Int32) throws(SystemError) -> Void = { _ throws(SystemError) in }
    ) throws -> Written {
        let path: String
        switch target {
        case .standardOutput:
            path = "-"
            try refuse("standard output", FilePlace(descriptor: STDOUT_FILENO).map { [$0] } ?? [])
            StandardOutput.write(encoded.bytes)
        case .file(let file):
            path = file
            try write(encoded.bytes, to: path, prepare)
        case .folder(let folder):
            if let folder {
                try naming(folder) { () throws(SystemError) in try OutputFile.makeFolder(folder) }
            }
            let suffix = extensions?[index] ?? encoded.format.fileExtension
            path = OutputTarget.path(of: stems[index] + (suffix.isEmpty ? "" : ".\(suffix)"), in: folder)
            try write(encoded.bytes, to: path, prepare)
        }
        return Written(
            path: path, format: encoded.format, bytes: encoded.bytes.count,
            info: encoded.bytes.kf.imageInfo, gainMap: encoded.gainMap)
    }

    private func write(
        _ bytes: Data, to path: String, _ prepare: (Int32) throws(SystemError) -> Void
    ) throws {
        try refuse(path, FilePlace.all(of: path))
        try naming(path) { () throws(SystemError) in
            try OutputFile.write(bytes, to: path, prepare: prepare)
        }
    }

    private func refuse(_ path: String, _ places: [FilePlace]) throws(OutputIsSource) {
        guard inputs.isDisjoint(with: places) else { throw OutputIsSource(place: path) }
    }

    /// Adds the output path to an error, because the source's name does not reveal it.
    private func naming(_ place: String, _ body: () throws(SystemError) -> Void) throws(OutputError) {
        do { try body() } catch { throw OutputError(place: place, reason: error) }
    }

    private static func files(_ files: [URL], in target: OutputTarget) -> [URL] {
        guard case .folder(let folder) = target else { return [] }
        let written = FilePlace(folder ?? ".")
        return files.filter { FilePlace($0.path.folderAndName.folder) == written }
    }
}

struct OutputError: Error, Hashable {
    let place: String
    let reason: SystemError
}

struct OutputIsSource: Error, Hashable {
    let place: String
}
