import Kingfisher

struct GetLine {
    let source: String
    let image: LoadedImage
    let written: ImageWriter.Written
    let took: Duration

    var json: JSONLine {
        var line = JSONLine([
            "source": .source(source),
            "cacheType": .text(image.cacheType.name),
            "width": .whole(width),
            "height": .whole(height),
            "format": .text(written.format.name),
            "bytes": .whole(written.bytes),
            "milliseconds": .tenths(milliseconds),
            "output": .text(written.path),
        ])
        line.append("gainMap", written.gainMap.map { .text($0.loss == nil ? "kept" : "dropped") })
        line.append("gainMapReason", written.gainMap?.loss.map { .text($0.rawValue) })
        return line
    }

    var text: String {
        "\(written.path): \(width) x \(height) pixels, \(written.format.name), \(written.bytes) bytes, "
            + "\(image.cacheType.origin), \(Int(milliseconds.rounded())) ms"
    }

    private var width: Int { written.info?.width ?? 0 }
    private var height: Int { written.info?.height ?? 0 }
    private var milliseconds: Double { took / .milliseconds(1) }
}

extension CacheType {
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .memory: "memory"
        case .disk: "disk"
        }
    }

    fileprivate var origin: String {
        switch self {
        case .none: "loaded"
        case .memory: "from memory"
        case .disk: "from disk"
        }
    }
}
