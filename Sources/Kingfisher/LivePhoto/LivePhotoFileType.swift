import Foundation

extension LivePhotoResource {
    /// The type of a file; with its extension the file is kept on disk.
    public enum FileType: Sendable, Equatable {
        /// A still image.
        case heic
        /// A film.
        case mov
        /// Any other extension, without the dot; empty where the type is not known, so that the bytes tell
        /// it.
        case other(String)
    }
}

extension LivePhotoResource.FileType {
    init(pathExtension: String) {
        self =
            switch pathExtension.lowercased() {
            case "heic": .heic
            case "mov": .mov
            case let other: .other(other)
            }
    }

    /// The type that an ISO base media file's first box names (ISO/IEC 14496-12, 4.3): "ftyp" at byte 4 and
    /// the major brand at byte 8. Nil for anything else.
    init?(signatureOf data: Data) {
        let start = data.prefix(12)
        guard start.count == 12, start.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8) else { return nil }
        let brand = start.suffix(4)
        if brand.elementsEqual("heic".utf8) {
            self = .heic
        } else if brand.elementsEqual("qt  ".utf8) {
            self = .mov
        } else {
            return nil
        }
    }

    /// The extension of a file of a known type.
    private var pathExtension: String {
        switch self {
        case .heic: "heic"
        case .mov: "mov"
        case .other(let name): name
        }
    }

    /// The extension under which `data` are stored; nil for bytes of a type that nobody knows.
    func storedExtension(of data: Data) -> String? {
        self == .other("") ? Self(signatureOf: data)?.pathExtension : pathExtension
    }

    /// The extensions under which the file may have been stored, in the order in which they are looked for.
    var possibleExtensions: [String] {
        self == .other("") ? [Self.heic, .mov].map(\.pathExtension) : [pathExtension]
    }
}
