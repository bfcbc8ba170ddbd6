import Foundation
import Kingfisher

/// The members of `kingfisher info --json` for metadata; `InfoCommand` describes them.
extension JSONLine {
    mutating func append(_ metadata: ImageMetadata, _ gainMap: GainMap?) {
        append([
            "bitsPerComponent": .whole(metadata.bitsPerComponent), "channels": .whole(metadata.channels),
            "hdr": .truth(metadata.isHDR), "gainMap": .truth(metadata.hasGainMap),
        ])
        append("gainMapForms", gainMap.map { .list($0.forms.map { .text($0.rawValue) }) })
        whole("gainMapWidth", gainMap?.size.width)
        whole("gainMapHeight", gainMap?.size.height)
        number("gainMapCapacity", gainMap?.capacity)
        append("codePoints", metadata.codePoints?.line.value)
        text("colorProfile", metadata.colorProfileName)
        if let density = metadata.pixelDensity {
            append("pixelDensity", JSONLine(["x": .number(density.x), "y": .number(density.y)]).value)
        }
        object("exif", metadata.exif?.line)
        object("location", metadata.location?.line)
        object("iptc", metadata.iptc?.line)
        whole("xmpBytes", metadata.xmp?.count)
        whole("extendedXMPBytes", metadata.extendedXMP?.count)
        append("metadataComplete", .truth(metadata.isComplete))
    }

    /// The XMP packets as text.
    mutating func append(packetsOf metadata: ImageMetadata) {
        text("xmp", metadata.xmp.map { String(decoding: $0, as: UTF8.self) })
        text("extendedXMP", metadata.extendedXMP.map { String(decoding: $0, as: UTF8.self) })
    }
}

extension JSONLine {
    fileprivate mutating func text(_ key: String, _ text: String?) { append(key, text.map { .text($0) }) }

    fileprivate mutating func number(_ key: String, _ number: Double?) {
        append(key, number.map { .number($0) })
    }

    fileprivate mutating func whole(_ key: String, _ number: Int?) { append(key, number.map { .whole($0) }) }

    fileprivate mutating func moment(_ key: String, _ moment: ImageMetadata.Moment?) {
        text(key, moment?.description)
    }

    fileprivate mutating func texts(_ key: String, _ texts: [String]) {
        append(key, texts.isEmpty ? nil : .list(texts.map { .text($0) }))
    }

    fileprivate mutating func object(_ key: String, _ line: JSONLine?) {
        if let line, !line.isEmpty { append(key, line.value) }
    }
}

extension ImageMetadata.CodePoints {
    fileprivate var line: JSONLine {
        JSONLine([
            "primaries": .whole(primaries), "transfer": .whole(transfer), "matrix": .whole(matrix),
            "fullRange": .truth(isFullRange),
        ])
    }
}

extension ImageMetadata.EXIFFields {
    fileprivate var line: JSONLine {
        var line = JSONLine([:])
        line.text("make", make)
        line.text("model", model)
        line.text("lensMake", lensMake)
        line.text("lensModel", lensModel)
        line.text("software", software)
        line.text("artist", artist)
        line.text("copyright", copyright)
        line.text("description", imageDescription)
        line.number("exposureTime", exposureTime)
        line.number("fNumber", fNumber)
        line.whole("iso", iso)
        line.number("focalLength", focalLength)
        line.whole("focalLengthIn35mmFilm", focalLengthIn35mmFilm)
        line.whole("flash", flash)
        line.append("flashFired", flashFired.map { .truth($0) })
        line.moment("dateTaken", dateTaken)
        line.moment("dateDigitized", dateDigitized)
        line.moment("dateModified", dateModified)
        return line
    }
}

extension ImageMetadata.Location {
    fileprivate var line: JSONLine {
        var line = JSONLine([:])
        line.number("latitude", latitude)
        line.number("longitude", longitude)
        line.number("altitude", altitude)
        line.moment("timestamp", timestamp)
        return line
    }
}

extension ImageMetadata.IPTCFields {
    fileprivate var line: JSONLine {
        var line = JSONLine([:])
        line.text("title", title)
        line.texts("keywords", keywords)
        line.text("caption", caption)
        line.texts("bylines", bylines)
        line.text("credit", credit)
        line.text("copyright", copyright)
        line.text("city", city)
        line.text("country", country)
        line.moment("dateCreated", dateCreated)
        line.moment("dateDigitized", dateDigitized)
        return line
    }
}
