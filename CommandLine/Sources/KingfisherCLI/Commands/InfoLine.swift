import Foundation
import Kingfisher

struct InfoLine {
    let source: String
    let bytes: Int
    let info: ImageInfo
    /// Nil if the header can be read but not the metadata.
    let metadata: ImageMetadata?
    /// Nil without one that can be read.
    let gainMap: GainMap?
    /// Nil if they were not requested.
    let hashes: PlaceholderHashes?
    /// Nil if it was not requested.
    let palette: [PaletteColor]?
    /// Whether `lines` has the metadata, and both forms the XMP packets.
    var showsMetadata = false

    /// Nil for a single frame, even if the file contains timing.
    private var timing: AnimationTiming? { info.frameCount > 1 ? info.timing : nil }

    /// `loopCount` and `durations` are null for a still image.
    var json: JSONLine {
        var line = JSONLine([
            "source": .source(source),
            "format": .text(info.format.name.lowercased()),
            "width": .whole(info.width),
            "height": .whole(info.height),
            "frames": .whole(info.frameCount),
            "loopCount": timing.map { .whole($0.loopCount) } ?? .null,
            "durations": timing.map { .list($0.durations.map { .seconds($0) }) } ?? .null,
            "orientation": .text("\(info.orientation)"),
            "alpha": .truth(info.hasAlpha),
            "bytes": .whole(bytes),
        ])
        if let metadata {
            line.append(metadata, gainMap)
            if showsMetadata { line.append(packetsOf: metadata) }
        }
        if let hashes {
            line.append([
                "blurHash": .text(hashes.blur.string), "thumbHash": .text(hashes.thumb.base64),
            ])
        }
        line.append("palette", palette.map { .list($0.map(\.value)) })
        return line
    }

    var lines: [String] {
        let frames = info.frameCount == 1 ? "1 frame" : "\(info.frameCount) frames"
        let timing = timing.map { ", \($0.inWords)" } ?? ""
        let alpha = info.hasAlpha ? "alpha" : "no alpha"
        let first =
            "\(source.forMessages): \(info.format.name), \(info.width) x \(info.height) pixels, "
            + "\(frames)\(timing), orientation \(info.orientation), \(alpha), \(bytes) bytes"
        return [first] + gainMapLine + metadataLines
            + (hashes.map { ["    BlurHash \($0.blur)", "    ThumbHash \($0.thumb)"] } ?? [])
            + (palette?.map { "    \($0.color.hexadecimal) \(($0.share * 1_000).rounded() / 10) %" } ?? [])
    }

    private var gainMapLine: [String] {
        guard let gainMap else {
            let lost = "    gain map of a kind that is not read; dropped when the image is encoded again"
            return metadata?.hasGainMap == true ? [lost] : []
        }
        let forms = gainMap.forms.map(\.title).joined(separator: " and ")
        let capacity = String(format: "%.2f", gainMap.capacity)
        return [
            "    gain map: \(forms), \(gainMap.size.width) x \(gainMap.size.height) pixels, "
                + "HDR capacity \(capacity) stops"
        ]
    }

    private var metadataLines: [String] {
        guard showsMetadata, let metadata else { return [] }
        var line = JSONLine([:])
        line.append(metadata, gainMap)
        let packets = [metadata.xmp, metadata.extendedXMP].compactMap(\.self).flatMap { packet in
            // Without the white space for later changes.
            String(decoding: packet, as: UTF8.self).split(whereSeparator: \.isNewline)
                .filter { !$0.allSatisfy(\.isWhitespace) }.map { "        \($0)" }
        }
        return line.lines.map { "    \($0)" } + packets
    }
}

/// The hashes of a file's image, or of its first frame.
struct PlaceholderHashes {
    let blur: BlurHash
    let thumb: ThumbHash

    init(of image: Image) throws(ImageCodecError) {
        blur = try BlurHash(of: image)
        thumb = try ThumbHash(of: image)
    }
}

extension GainMap.Form {
    fileprivate var title: String {
        switch self {
        case .ultraHDR: "Ultra HDR"
        case .iso: "ISO 21496-1"
        }
    }
}

extension PaletteColor {
    fileprivate var value: JSONLine.Value {
        let share = (share * 10_000).rounded() / 10_000
        return JSONLine(["color": .text(color.hexadecimal), "share": .number(share)]).value
    }
}

extension AnimationTiming {
    fileprivate var inWords: String {
        let shortest = durations.min() ?? 0
        let longest = durations.max() ?? 0
        let each =
            shortest == longest
            ? Self.seconds(longest) : "\(Self.seconds(shortest)) to \(Self.seconds(longest))"
        let times =
            switch loopCount {
            case 0: "forever"
            case 1: "once"
            default: "\(loopCount) times"
            }
        return "\(Self.seconds(durations.reduce(0, +))) s (\(each) s each), \(times)"
    }

    /// Rounds to milliseconds; omits trailing zeros.
    private static func seconds(_ duration: TimeInterval) -> String {
        let rounded = (duration * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? String(format: "%.0f", rounded) : String(rounded)
    }
}
