import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Compares metadata with exiftool's.
@Suite struct MetadataReferenceTests {
    @Test func theFixturesExist() {
        #expect(MetadataReference.all.count == 13)
        #expect(MetadataReference.profiles.count >= 4)
    }

    @Test("EXIF has the values that exiftool reads", arguments: MetadataReference.own)
    func exif(_ reference: MetadataReference) throws {
        let metadata = try ImageMetadata(of: try reference.data())
        #expect(metadata.isComplete)
        let fields = metadata.exif ?? ImageMetadata.EXIFFields()
        let texts: [(String?, String)] = [
            (fields.make, "IFD0:Make"), (fields.model, "IFD0:Model"), (fields.software, "IFD0:Software"),
            (fields.artist, "IFD0:Artist"), (fields.copyright, "IFD0:Copyright"),
            (fields.imageDescription, "IFD0:ImageDescription"), (fields.lensMake, "ExifIFD:LensMake"),
            (fields.lensModel, "ExifIFD:LensModel"),
        ]
        for (ours, key) in texts { #expect(ours == reference.text(key), "\(key)") }
        let numbers: [(Double?, String)] = [
            (fields.exposureTime, "ExifIFD:ExposureTime"), (fields.fNumber, "ExifIFD:FNumber"),
            (fields.iso.map(Double.init), "ExifIFD:ISO"), (fields.focalLength, "ExifIFD:FocalLength"),
            (fields.focalLengthIn35mmFilm.map(Double.init), "ExifIFD:FocalLengthIn35mmFormat"),
            (fields.flash.map(Double.init), "ExifIFD:Flash"),
        ]
        for (ours, key) in numbers { #expect(ours == reference.number(key), "\(key)") }
        let taken = reference.moment(
            "ExifIFD:DateTimeOriginal", fraction: "ExifIFD:SubSecTimeOriginal",
            zone: "ExifIFD:OffsetTimeOriginal")
        #expect(fields.dateTaken?.description == taken)
        let digitized = reference.moment("ExifIFD:CreateDate", fraction: "ExifIFD:SubSecTimeDigitized")
        #expect(fields.dateDigitized?.description == digitized)
        #expect(
            fields.dateModified?.description
                == reference.moment("IFD0:ModifyDate", zone: "ExifIFD:OffsetTime"))
    }

    @Test("The location has the degrees and the time that exiftool reads", arguments: MetadataReference.own)
    func location(_ reference: MetadataReference) throws {
        let location = try ImageMetadata(of: try reference.data()).location
        let south = reference.text("GPS:GPSLatitudeRef") == "S" ? -1.0 : 1
        let west = reference.text("GPS:GPSLongitudeRef") == "W" ? -1.0 : 1
        let below = reference.number("GPS:GPSAltitudeRef") == 1 ? -1.0 : 1
        let expected = [
            reference.number("GPS:GPSLatitude").map { $0 * south },
            reference.number("GPS:GPSLongitude").map { $0 * west },
            reference.number("GPS:GPSAltitude").map { $0 * below },
        ]
        let ours = [location?.latitude, location?.longitude, location?.altitude]
        for (ours, theirs) in zip(ours, expected) {
            #expect((ours == nil) == (theirs == nil))
            #expect(abs((ours ?? 0) - (theirs ?? 0)) < 1e-9)
        }
        let date = reference.text("GPS:GPSDateStamp").map { $0.replacingOccurrences(of: ":", with: "-") }
        let time = date.flatMap { date in reference.text("GPS:GPSTimeStamp").map { "\(date)T\($0)Z" } }
        // Ours has thousandths.
        #expect(location?.timestamp?.description == time?.replacingOccurrences(of: ".25", with: ".250"))
    }

    @Test("IPTC has the values that exiftool reads", arguments: MetadataReference.jpegs)
    func iptc(_ reference: MetadataReference) throws {
        let metadata = try ImageMetadata(of: try reference.data())
        let fields = metadata.iptc ?? ImageMetadata.IPTCFields()
        #expect(
            (metadata.iptc == nil) == (reference.text("IPTC:ObjectName") == nil && fields.keywords.isEmpty))
        let texts: [(String?, String)] = [
            (fields.title, "IPTC:ObjectName"), (fields.caption, "IPTC:Caption-Abstract"),
            (fields.credit, "IPTC:Credit"), (fields.copyright, "IPTC:CopyrightNotice"),
            (fields.city, "IPTC:City"), (fields.country, "IPTC:Country-PrimaryLocationName"),
        ]
        for (ours, key) in texts { #expect(ours == reference.text(key), "\(key)") }
        #expect(fields.keywords == reference.texts("IPTC:Keywords"))
        #expect(fields.bylines == reference.texts("IPTC:By-line"))
        let date = reference.text("IPTC:DateCreated").map { $0.replacingOccurrences(of: ":", with: "-") }
        let expected = date.flatMap { date in reference.text("IPTC:TimeCreated").map { "\(date)T\($0)" } }
        #expect(fields.dateCreated?.description == expected)
    }

    @Test("Profile, density and XMP are those that exiftool reads", arguments: MetadataReference.own)
    func others(_ reference: MetadataReference) throws {
        let metadata = try ImageMetadata(of: try reference.data())
        #expect(metadata.colorProfileName == reference.text("ICC_Profile:ProfileDescription"))
        let packet = metadata.xmp ?? Data()
        #expect(packet.contains(text: "Gradient") == (reference.text("XMP-dc:Title") != nil))
        #expect((metadata.xmp == nil) || packet.contains(text: "rdf:RDF"))
        if reference.number("IFD0:ResolutionUnit") == 1 {
            #expect(metadata.pixelDensity == nil, "a ratio without a unit")
        } else if let x = reference.number("IFD0:XResolution"), let y = reference.number("IFD0:YResolution") {
            #expect(metadata.pixelDensity == ImageMetadata.PixelDensity(x: x, y: y))
        } else if let x = reference.number("PNG-pHYs:PixelsPerUnitX") {
            #expect(abs((metadata.pixelDensity?.x ?? 0) - x * 0.0254) < 1e-9)
        }
        #expect(metadata.frameCount == 1)
        #expect(metadata.pixelSize == PixelSize(width: 24, height: 16))
    }

    @Test(
        "Names of profiles are those that exiftool reads", arguments: MetadataReference.profiles.keys.sorted()
    )
    func profile(_ name: String) throws {
        let profile = try Fixtures.data(named: "Color/\(name)")
        let ours = profile.withUnsafeBytes { ICCDescription(ByteReader($0)).name }
        #expect(ours == MetadataReference.profiles[name])
    }

    @Test("ExtendedXMP is joined from its parts in the order of their offsets")
    func extended() throws {
        let metadata = try ImageMetadata(of: try Fixtures.data(named: "Metadata/extended.jpg"))
        #expect(metadata.extendedXMP == (try Fixtures.data(named: "Metadata/extended.xmp")))
        #expect(metadata.xmp?.contains(text: "HasExtendedXMP") == true)
    }

    @Test("Channels, depth and transfer come from the header of each format")
    func facts() throws {
        func metadata(_ name: String) throws -> ImageMetadata {
            try ImageMetadata(of: try Fixtures.data(named: name))
        }
        let hdr = try metadata("Metadata/hdr.png")
        #expect(hdr.isHDR && hdr.channels == 4 && hdr.hasAlpha && hdr.bitsPerComponent == 8)
        let numbers = ImageMetadata.CodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
        #expect(hdr.codePoints == numbers)
        let palette = try metadata("Metadata/palette.png")
        #expect(palette.channels == 4 && palette.hasAlpha && !palette.isHDR)
        let grey = try metadata("Metadata/grey.jpg")
        #expect(grey.channels == 1 && grey.format == .JPEG)
        #expect(try metadata("PNG/gray16-adam7.png").bitsPerComponent == 16)
        #expect(try metadata("Photos/cat.gif").frameCount > 1)
        let bare = try metadata("Metadata/bare.jpg")
        #expect(bare.pixelDensity == ImageMetadata.PixelDensity(x: 144, y: 96))
        #expect(bare.exif == nil && bare.location == nil && bare.iptc == nil && bare.xmp == nil)
        #expect(try metadata("Metadata/camera.jpg").orientation == .right)
    }

    @Test("Bytes of no format, and empty data, have no metadata")
    func unknown() {
        #expect(throws: ImageCodecError.unknownFormat) { try ImageMetadata(of: Data()) }
        #expect(throws: ImageCodecError.unknownFormat) { try ImageMetadata(of: Data(count: 100)) }
        #expect(Data().kf.imageMetadata == nil)
    }
}
