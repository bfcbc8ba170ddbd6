package import Foundation

extension JPEGCodec {
    /// The first image after the base image that has the parameters of a gain map, wherever the index says
    /// (CIPA DC-007), or directly after the base image. Lengths that the file states are not used.
    ///
    /// It has the orientation of the base image ("Ultra HDR Image Format", version 1): its own is ignored.
    package func gainMap(in file: Data) -> GainMap? {
        try? file.reading { reader throws(ImageCodecError) in
            let base = try JPEGStructure(reader)
            let starts = ImageIndex.laterImages(in: reader, base).filter { $0 >= base.end } + [base.end]
            for start in starts {
                guard let image = try? JPEGStructure(reader, from: start) else { continue }
                let (attributes, parameters) = Self.parameters(of: image, in: reader)
                guard attributes != nil || parameters != nil,
                    let bytes = reader.slice(at: start, count: image.end - start)
                else { continue }
                let map = try JPEGStripper.stripped(Data(bytes.bytes), orientation: orientation(of: file))
                return GainMap(file: map, attributes: attributes, parameters: parameters)
            }
            return nil
        }
    }

    private func orientation(of file: Data) throws(ImageCodecError) -> Image.Orientation {
        try open(EncodedFile(file)).header.orientation
    }

    private static func parameters(
        of image: JPEGStructure, in reader: ByteReader
    ) -> (GainMapAttributes?, GainMapParameters?) {
        var (attributes, parameters): (GainMapAttributes?, GainMapParameters?)
        for segment in image.head {
            let data = segment.data(in: reader)
            if segment.code == 0xE1, let packet = data.after(JPEGMetadataParts.xmpPrefix) {
                attributes = attributes ?? GainMapAttributes(packet)
            } else if segment.code == 0xE2, let bytes = data.after(JPEGMetadataParts.gainMapPrefix) {
                parameters = parameters ?? GainMapParameters(bytes)
            }
        }
        return (attributes, parameters)
    }

    /// Inserts what announces the gain map after the segments of JFIF and EXIF: XMP, added to the properties
    /// of the file, the versions of ISO 21496-1, and an index of two images.
    package func adding(_ gainMap: GainMap, to file: Data) throws(ImageCodecError) -> Data {
        let isJPEG = gainMap.file.withUnsafeBytes(matches)
        guard isJPEG, try orientation(of: gainMap.file) == orientation(of: file) else {
            throw .unsupported("a gain map of another format or orientation")
        }
        guard self.gainMap(in: file) == nil else { throw .unsupported("a second gain map") }
        let map = try Self.announced(gainMap)
        return try file.reading { reader throws(ImageCodecError) in
            let structure = try JPEGStructure(reader)
            let segments = structure.segments
            let head = segments.prefix { $0.code == 0xE0 || $0.code == 0xE1 }
            func packet(_ segment: JPEGStructure.Segment) -> ByteReader? {
                segment.code == 0xE1 ? segment.data(in: reader).after(JPEGMetadataParts.xmpPrefix) : nil
            }
            let own = head.firstIndex { packet($0) != nil && gainMap.attributes != nil }
            var output = Data(capacity: file.count + map.count + 2_048)
            output += [0xFF, 0xD8]
            func copy(_ part: ArraySlice<JPEGStructure.Segment>) {
                for (index, segment) in zip(part.indices, part) where index != own {
                    output.append(contentsOf: reader.bytes[segment.start..<segment.dataEnd])
                }
            }
            copy(head)
            if gainMap.attributes != nil {
                let old = own.flatMap { packet(head[$0]) }.map { Data($0.bytes) }
                let xmp = GainMapDirectory.packet(adding: map.count, to: old)
                output += try Self.segment(0xE1, JPEGMetadataParts.xmpPrefix, xmp)
            }
            if gainMap.parameters != nil {
                output += try Self.segment(
                    0xE2, JPEGMetadataParts.gainMapPrefix, GainMapParameters.versions)
            }
            let rest = segments[head.endIndex...]
            let length = rest.reduce(2) { $0 + $1.dataEnd - $1.start }
            output += ImageIndex.segment(before: length, at: output.count, second: map.count)
            copy(rest)
            return output + [0xFF, 0xD9] + map
        }
    }

    /// The file of a gain map with its parameters.
    private static func announced(_ gainMap: GainMap) throws(ImageCodecError) -> Data {
        var segments: [UInt8] = []
        if let attributes = gainMap.attributes {
            segments += try segment(0xE1, JPEGMetadataParts.xmpPrefix, attributes.packet)
        }
        if let parameters = gainMap.parameters {
            segments += try segment(0xE2, JPEGMetadataParts.gainMapPrefix, parameters.bytes)
        }
        return try JPEGStripper.rebuilt(gainMap.file, with: segments)
    }

    private static func segment(
        _ code: UInt8, _ prefix: StaticString, _ data: Data
    ) throws(ImageCodecError) -> [UInt8] {
        let start = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        return try JPEGSegmentBytes.segment(code, Array(start) + [UInt8](data))
    }
}

extension ImageIndex {
    /// The segment of an index of two images: `start` is its offset, `length` are the bytes of the first
    /// image after it, and the second one, of `second` bytes, follows.
    static func segment(before length: Int, at start: Int, second: Int) -> [UInt8] {
        var data = Array("MPF\0MM".utf8) + UInt16(42).bigEndianBytes + UInt32(8).bigEndianBytes
        let directory: [(tag: UInt16, type: UInt16, count: UInt32, value: [UInt8])] = [
            (0xB000, 7, 4, Array("0100".utf8)), (0xB001, 4, 1, UInt32(2).bigEndianBytes),
            (0xB002, 7, 32, UInt32(50).bigEndianBytes),
        ]
        data += UInt16(directory.count).bigEndianBytes
        for entry in directory {
            data += entry.tag.bigEndianBytes + entry.type.bigEndianBytes + entry.count.bigEndianBytes
            data += entry.value
        }
        data += [0, 0, 0, 0]
        let first = start + 4 + data.count + 32 + length
        // A primary image of the baseline; the second one has no type of its own.
        for entry in [[0x030000, first, 0, 0], [0, second, first - start - 8, 0]] {
            data += entry.flatMap { UInt32(clamping: $0).bigEndianBytes }
        }
        return [0xFF, 0xE2] + UInt16(data.count + 2).bigEndianBytes + data
    }
}
