public import Foundation
public import KingfisherCodecSupport
import KingfisherISOBoxes

/// A gain map is an item from which, with the primary one, a tone-mapped item is derived (`tmap`: ISO/IEC
/// 23008-12:2025, 6.6.2.4); that item holds the parameters of ISO 21496-1.
///
/// Both are read and written here, without libavif, whose versions before 1.1 do not know them.
struct AVIFGainMap {
    let item: Int
    let parameters: GainMapParameters
    private let items: ISOItems

    /// Nil without the brand, or if the gain map is not of the primary item.
    init?(in file: ByteReader) {
        guard ISOBrands(file)?.contains("tmap") == true, let items = ISOItems(file) else { return nil }
        for (item, type) in items.types where type.has("tmap", at: 0) {
            let inputs = items.inputs(of: item)
            guard inputs.count == 2, inputs[0] == items.primary, inputs[1] != items.primary,
                let content = items.content(of: item), content.uint8(at: 0) == 0,
                let bytes = content.slice(at: 1, count: content.count - 1),
                let parameters = GainMapParameters(bytes)
            else { continue }
            (self.item, self.parameters, self.items) = (inputs[1], parameters, items)
            return
        }
        return nil
    }

    /// A copy of the file in which the gain map is the primary item, and its samples are not converted.
    func file(_ data: Data, _ reader: ByteReader) -> Data {
        var bytes = data
        let field = items.primaryField
        let number = UInt32(truncatingIfNeeded: item).bigEndian
        withUnsafeBytes(of: number) { whole in
            for (place, byte) in zip(field, whole.suffix(field.count)) {
                bytes[bytes.startIndex + place] = byte
            }
        }
        // Unspecified primaries and transfer in all `nclx` colours; the primary item alone uses its own.
        for colors in items.properties("colr") where colors.has("nclx", at: 0) && colors.count >= 8 {
            guard let place = reader.offset(of: colors).map({ bytes.startIndex + $0 + 4 }) else { continue }
            bytes.replaceSubrange(place..<place + 4, with: [0, 2, 0, 2])
        }
        return bytes
    }
}

extension AVIFCodec {
    /// The gain map as a copy of the file that shows it. The registered codec opens it, which may be in
    /// another process.
    public func gainMap(in file: Data) -> GainMap? {
        let found = file.withUnsafeBytes { bytes -> (Data, GainMapParameters)? in
            let reader = ByteReader(bytes)
            return AVIFGainMap(in: reader).map { ($0.file(file, reader), $0.parameters) }
        }
        return found.flatMap { GainMap(file: $0, attributes: nil, parameters: $1) }
    }

    /// Joins the files of the base image and the gain map, which this codec has encoded. Parameters of XMP
    /// become parameters of ISO 21496-1.
    public func adding(_ gainMap: GainMap, to file: Data) throws(ImageCodecError) -> Data {
        let joined = file.withUnsafeBytes { base in
            gainMap.file.withUnsafeBytes { map in
                gainMap.binaryParameters.flatMap {
                    AVIFGainMapFile(base: ByteReader(base), map: ByteReader(map), $0)
                }
            }
        }
        guard let joined else { throw .unsupported("adding a gain map to this file") }
        return joined.data
    }
}
