package import Foundation

extension PNGCodec {
    package func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        try PNGMetadata.replaced(in: file, with: blocks)
    }
}

extension APNGCodec {
    package func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        try PNGMetadata.replaced(in: file, with: blocks)
    }
}

extension PNGMetadata {
    /// The ancillary chunks that describe the pixels or the animation.
    private static let kept: Set<PNGChunkType> = [
        .tRNS, .gAMA, .cHRM, .sRGB, .iCCP, .cICP, .mDCV, .cLLI, .sBIT, .bKGD, .hIST, .sPLT, .pHYs, .acTL,
        .fcTL, .fdAT,
    ]

    /// Copies the chunks that describe the pixels, and writes the blocks after the header: EXIF as eXIf, XMP
    /// as iTXt. PNG has no place for IPTC, which is omitted. The orientation stays. Texts, EXIF, the time of
    /// the last change, content credentials (caBX) and the private chunks of programs are removed, unless
    /// `keepsOthers`: then only chunks with EXIF and XMP are.
    static func replaced(
        in file: Data, with blocks: ImageMetadataBlocks, keepsOthers: Bool = false
    ) throws(ImageCodecError) -> Data {
        try file.reading { reader throws(ImageCodecError) in
            _ = try PNGFileHeader(scanning: reader)
            guard let header = reader.slice(at: 0, count: PNGFileHeader.end) else { throw .truncated }
            var assembly = PNGAssembly()
            append(blocks, orientation: orientation(in: reader), to: &assembly)
            var output = Data(header.bytes)
            output += assembly.data.dropFirst(PNGCodec.signature.count)
            var chunks = PNGChunks(reader, from: PNGFileHeader.end)
            while true {
                let chunk = try chunks.next()
                guard let bytes = reader.slice(at: chunk.offset, count: chunk.length + 12) else {
                    throw .truncated
                }
                let isKept =
                    chunk.type.isCritical || kept.contains(chunk.type)
                    || keepsOthers && !holdsBlock(chunk, in: reader)
                if isKept, !chunk.type.isExpendable || counts(chunk, in: reader) {
                    output.append(contentsOf: bytes.bytes)
                }
                if chunk.type == .IEND { return output }
            }
        }
    }

    /// Whether a chunk holds EXIF or XMP.
    private static func holdsBlock(_ chunk: PNGChunk, in reader: ByteReader) -> Bool {
        if chunk.type == .eXIf { return true }
        guard chunk.type.isText, let kind = PNGText(chunk, in: reader).flatMap(kind(of:)) else {
            return false
        }
        return kind != .iptc
    }

    private static func append(
        _ blocks: ImageMetadataBlocks, orientation: Image.Orientation, to file: inout PNGAssembly
    ) {
        if let exif = blocks.exif {
            file.append(.eXIf, fields: ImageMetadataBlocks.tiff(exif))
        } else if orientation != .up {
            file.append(.eXIf, fields: Array(JPEGSegmentBytes.exif(orientation).dropFirst(10)))
        }
        if let xmp = blocks.xmp {
            file.append(.iTXt, fields: Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + [UInt8](xmp))
        }
    }
}
