import Foundation
import KingfisherCodecSupport
import KingfisherTIFFStructure

/// Where a RAW file says that a JPEG is. The bytes may be anything, and outside of the file.
struct RAWPlace {
    let offset: Int
    let length: Int
    /// False in maker notes: programs that move them may leave offsets as they were.
    var isCertain = true
}

/// What the structure of a RAW file says: places of previews, orientation, metadata.
struct RAWFile {
    private(set) var places: [RAWPlace] = []
    /// Nil if the file has none, or an invalid one.
    private(set) var orientation: Image.Orientation?
    /// Whether a part of the structure is after the end of the file.
    private(set) var isTruncated = false
    private var blocks: @Sendable () -> ImageMetadataBlocks = { ImageMetadataBlocks() }

    init(_ reader: ByteReader) throws(ImageCodecError) {
        switch RAWContainer(reader) {
        case .directories(let file): try take(file)
        case .boxes: take(CR3File(reader))
        case .fuji:
            // The header has big-endian numbers, and no orientation.
            guard let offset = reader.uint32(at: 84, bigEndian: true),
                let length = reader.uint32(at: 88, bigEndian: true)
            else { throw .truncated }
            places = [RAWPlace(offset: offset, length: length)]
        case nil: throw .corrupt("no signature of a RAW file")
        }
    }

    private mutating func take(_ file: TIFFStructure) throws(ImageCodecError) {
        let main = try file.directory(at: file.first)
        let directories = RAWDirectories(file)
        (places, isTruncated) = (directories.places, directories.isTruncated)
        orientation = file.integer(.orientation, of: main).flatMap { Image.Orientation(exif: $0) }
        blocks = {
            var blocks = file.metadata(of: main)
            // It describes the sensor's data, not the preview.
            blocks.profile = nil
            return blocks
        }
    }

    private mutating func take(_ file: CR3File) {
        (places, isTruncated) = (file.places, file.isTruncated)
        orientation = file.orientation
        blocks = { file.metadata() }
    }

    /// Without profile. The bytes of the file must exist.
    func metadata() -> ImageMetadataBlocks { blocks() }
}
