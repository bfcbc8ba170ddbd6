import Foundation
import FuzzHarness
import Kingfisher
import KingfisherFormats

/// `ImageMetadata` of files of every format, the editor of JPEG metadata, and the writers of metadata.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let given = Data(UnsafeBufferPointer(start: bytes, count: count))
    let data = given.starts(with: [0x89, 0x50]) ? repaired(png: given) : given
    registerOnce()
    guard let codec = ImageCodecs.codec(for: data) else { return 0 }
    read(data, codec)
    if codec.format == .JPEG {
        edit(data)
        exercise(data, with: codec)
    }
    return 0
}

private let registered: Void = ImageCodecs.registerAll()

private func registerOnce() { registered }

private func read(_ data: Data, _ codec: any ImageCodec) {
    let metadata = try? ImageMetadata(of: data, using: codec)
    for degrees in [metadata?.location?.latitude, metadata?.location?.longitude] {
        precondition(degrees.map { abs($0) <= 180 } ?? true, "a place outside of the globe")
    }
    _ = codec.gainMap(in: data)
    _ = metadata?.exif?.dateTaken.map { ($0.date(), $0.description) }
    guard let decoder = opened(data, by: codec), let blocks = try? decoder.metadata() else { return }
    precondition(blocks.byteCount <= ImageMetadataBlocks.maximumBytes, "more metadata than the limit")
    guard let stripped = try? codec.replacingMetadata(of: data, with: ImageMetadataBlocks()) else { return }
    let (before, after) = (decoder.header, opened(stripped, by: codec)?.header)
    precondition(after?.size == before.size, "another size without metadata")
    precondition(after?.orientation == before.orientation, "another orientation without metadata")
    // A gain map stays, with its own XMP.
    let hasGainMap = codec.gainMap(in: stripped) != nil
    precondition(
        hasGainMap || (try? ImageMetadata(of: stripped, using: codec).xmp) == .some(nil), "XMP remains")
    let names = blocks.onlyCopyright()
    if let written = try? codec.replacingMetadata(of: data, with: names) {
        let found = try? ImageMetadata(of: written, using: codec)
        precondition(found?.exif?.make == nil && found?.location == nil, "more than names remains")
    }
    checkUnchanged(data, codec)
    let filtered = blocks.withoutLocation()
    guard let written = try? codec.replacingMetadata(of: data, with: filtered) else { return }
    let location = (try? ImageMetadata(of: written, using: codec))?.location
    precondition(location == nil, "a location remains in a written file")
}

/// Edits of a file that is kept as it is.
private func checkUnchanged(_ data: Data, _ codec: any ImageCodec) {
    if let kept = try? MetadataPolicy.keepWithoutLocation.applied(toUnchanged: data, by: codec) {
        let location = (try? ImageMetadata(of: kept, using: codec))?.location
        precondition(location == nil, "a location remains in an unchanged file")
    }
    let orientation = Image.Orientation(exif: 1 + (data.last.map(Int.init) ?? 0) % 8) ?? .up
    if let turned = try? codec.settingOrientation(orientation, of: data) {
        precondition(opened(turned, by: codec)?.header.orientation == orientation, "another orientation")
    }
}

private func edit(_ file: Data) {
    if let edited = try? JPEGMetadataEdit.removeLocation.applied(to: file) {
        precondition(edited.count == file.count, "the length has changed")
        precondition((try? ImageMetadata(of: edited))?.location == nil, "a location remains")
    }
    let orientation = Image.Orientation(exif: 1 + (file.last.map(Int.init) ?? 0) % 8) ?? .up
    if let edited = try? JPEGMetadataEdit.setOrientation(orientation).applied(to: file),
        let header = opened(edited, by: registeredCodec(for: .JPEG))?.header
    {
        precondition(header.orientation == orientation, "another orientation than written")
    }
    if let edited = try? JPEGMetadataEdit.removeAll.applied(to: file) {
        let metadata = try? ImageMetadata(of: edited)
        precondition(metadata?.location == nil && metadata?.iptc == nil, "metadata remains")
    }
}
