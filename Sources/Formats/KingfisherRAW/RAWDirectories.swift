import KingfisherCodecSupport
import KingfisherTIFFStructure

/// The JPEGs that the directories of a file name: of its chain, of sub-directories and of maker notes.
struct RAWDirectories {
    private(set) var places: [RAWPlace] = []
    /// Whether a directory is not in the file.
    private(set) var isTruncated = false
    private let file: TIFFStructure
    private var remaining = 64

    /// `JpgFromRaw` of Panasonic.
    private static let panasonicTags = [0x2E, 0x127]
    private static let panasonicVersion = 0x55
    /// JPEG, as in TIFF 6.0 and as in TIFF Technical Note 2.
    private static let jpegCompressions = [6, 7]
    /// Greyscale, RGB and YCbCr, but no colour filter, linear sensor data, mask or depth.
    private static let shown = [0, 1, 2, 6]

    init(_ file: TIFFStructure) {
        self.file = file
        walk(file, from: 0)
        if file.reader.uint16(at: 2, bigEndian: file.isBigEndian) == Self.panasonicVersion,
            let main = try? file.directory(at: file.first)
        {
            for tag in Self.panasonicTags {
                guard let entry = main.entries[tag] else { continue }
                places.append(RAWPlace(offset: entry.place, length: entry.count))
            }
        }
    }

    /// Reads all directories, each once, so that offsets that form a loop end. `start` is the place in the
    /// file that offsets count from.
    private mutating func walk(_ directories: TIFFStructure, from start: Int) {
        var offsets = [directories.first]
        var index = 0
        while index < offsets.count, remaining > 0 {
            defer { index += 1 }
            remaining -= 1
            guard let directory = read(offsets[index], of: directories, isCertain: start == 0) else {
                continue
            }
            places += Self.places(in: directory, of: directories, from: start)
            let next = directories.subdirectories(of: directory) + (directory.next.map { [$0] } ?? [])
            for offset in next where offset > 0 && !offsets.contains(offset) { offsets.append(offset) }
            if start == 0, let offset = directories.integer(.exif, of: directory),
                let exif = read(offset, of: directories, isCertain: true)
            {
                takeMakerNote(of: exif)
            }
        }
    }

    private mutating func read(
        _ offset: Int, of file: TIFFStructure, isCertain: Bool
    ) -> TIFFStructure.Directory? {
        do throws(ImageCodecError) {
            return try file.directory(at: offset)
        } catch {
            if error == .truncated, isCertain { isTruncated = true }
            return nil
        }
    }

    private static func places(
        in directory: TIFFStructure.Directory, of file: TIFFStructure, from start: Int
    ) -> [RAWPlace] {
        func number(_ tag: TIFFStructure.Tag) -> Int? { file.integer(tag, of: directory) }
        guard number(.photometric).map(shown.contains) ?? true else { return [] }
        var places: [RAWPlace] = []
        func add(_ offset: Int?, _ length: Int?) {
            guard let offset, let length, length > 0 else { return }
            let (place, overflow) = offset.addingReportingOverflow(start)
            places.append(
                RAWPlace(offset: overflow ? .max : place, length: length, isCertain: start == 0))
        }
        add(number(.jpegOffset), number(.jpegLength))
        // The parts of an image in several strips or tiles are no files.
        if number(.compression).map(jpegCompressions.contains) ?? false,
            file.count(.stripOffsets, of: directory) == 1
        {
            add(number(.stripOffsets), number(.stripByteCounts))
        }
        return places
    }
}

// MARK: Maker notes

extension RAWDirectories {
    /// The previews of Nikon and Olympus in the `MakerNote` of EXIF, which has other offsets (ExifTool's
    /// tables of both makers).
    private mutating func takeMakerNote(of exif: TIFFStructure.Directory) {
        guard let entry = exif.entries[TIFFStructure.Tag.makerNote.rawValue] else { return }
        guard let note = file.bytes(entry) else { return isTruncated = true }
        if note.has("Nikon\0", at: 0) {
            takeNikon(from: entry.place + 10)
        } else if note.has("OLYMPUS\0", at: 0) {
            takeOlympus(at: 12, from: entry.place, isBigEndian: note.has("MM", at: 8))
        } else if note.has("OM SYSTEM\0", at: 0) {
            takeOlympus(at: 16, from: entry.place, isBigEndian: note.has("MM", at: 12))
        } else if note.has("OLYMP\0", at: 0) {
            takeOlympus(at: entry.place + 8, from: 0, isBigEndian: file.isBigEndian)
        }
    }

    /// The bytes from `start` on, from which offsets count.
    private func rest(from start: Int) -> ByteReader? {
        file.reader.slice(at: start, count: file.reader.count - start)
    }

    /// A TIFF file at `start`, whose entry 0x11 is a directory of the preview.
    private mutating func takeNikon(from start: Int) {
        guard let note = rest(from: start).flatMap({ try? TIFFStructure($0) }),
            let main = try? note.directory(at: note.first),
            let preview = main.entries[0x11].flatMap({ note.integer($0) })
        else { return }
        walk(
            TIFFStructure(note.reader, isBigEndian: note.isBigEndian, first: preview), from: start)
    }

    /// A directory whose entry 0x2020, `CameraSettings`, is another one with the place of the preview.
    private mutating func takeOlympus(at first: Int, from start: Int, isBigEndian: Bool) {
        guard let reader = rest(from: start) else { return }
        let note = TIFFStructure(reader, isBigEndian: isBigEndian, first: first)
        guard let main = try? note.directory(at: first), let entry = main.entries[0x2020],
            // Older cameras store the directory as bytes.
            let settings = entry.type == 7 ? entry.place : note.integer(entry),
            let directory = try? note.directory(at: settings),
            let offset = directory.entries[0x101].flatMap({ note.integer($0) }),
            let length = directory.entries[0x102].flatMap({ note.integer($0) }), length > 0
        else { return }
        places.append(RAWPlace(offset: start + offset, length: length, isCertain: false))
    }
}
