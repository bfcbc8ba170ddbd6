import Foundation

extension LivePhotoResource {
    /// The type of a file, which determines its extension on disk.
    public enum FileType: Sendable, Equatable {
        /// A still image.
        case heic
        /// A video.
        case mov
        /// Any other extension, without the dot; empty for an unknown type, which is detected from the bytes.
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

    /// The type given by the first box of an ISO base media file (ISO/IEC 14496-12, 4.3): "ftyp" at byte 4
    /// and the major brand at byte 8. Nil for anything else.
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

    private var pathExtension: String {
        switch self {
        case .heic: "heic"
        case .mov: "mov"
        case .other(let name): name
        }
    }

    func storedExtension(of data: Data) -> String? {
        self == .other("") ? Self(signatureOf: data)?.pathExtension : pathExtension
    }

    var possibleExtensions: [String] {
        self == .other("") ? [Self.heic, .mov].map(\.pathExtension) : [pathExtension]
    }
}
