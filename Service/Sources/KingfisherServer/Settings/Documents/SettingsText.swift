/// Paragraphs that the page and the manual have.
enum SettingsText {
    static let rules = [
        """
        A setting has a name such as `max-frames`. Its value is taken from the first of these that has it: the \
        flag `--max-frames VALUE` or `--max-frames=VALUE`; the variable `KINGFISHER_MAX_FRAMES`, with `_` for \
        `-` and `.`; a credential of systemd, if the value is a file with a secret; the file that `config` \
        names; the default.
        """,
        """
        A line of the file is `name = value`. Spaces around both are ignored, there are no quotes, and a \
        comment is a line that starts with `#`; a `#` within a line belongs to the value. Relative paths start \
        in the folder of the file, or in the working folder for flags and variables. Lists are separated \
        by commas, and `none` is the empty list. Settings with `on` and `off` need no value as a flag: \
        `--development` means `on`. An empty variable is not set.
        """,
        """
        The names `preset.NAME`, `watermark.NAME`, `fallback.NAME` and `quality.FORMAT` stand for one setting \
        each NAME or FORMAT. A variable such as `KINGFISHER_PRESET_BIG_CARD` is the preset of the file with \
        this variable, such as `preset.Big-Card`; if there is none, `preset.big_card`.
        """,
        """
        Anything that is wrong stops the start with `FILE:LINE: NAME: REASON`, `environment: VARIABLE: REASON` \
        or `--NAME: REASON`, one line for each problem: unknown names, malformed values, missing files, and \
        settings that contradict each other. `kingfisher-server check` only looks for such problems. \
        Variables that Kubernetes sets for a service named `kingfisher` are ignored.
        """,
    ]

    static let units = """
        | value | units | example |
        | --- | --- | --- |
        | size | `B`, `kB`, `KiB`, `MB`, `MiB`, `GB`, `GiB`, `TB`, `TiB`; bytes without one | `32 MiB` |
        | duration | `s`, `min`, `h`, `d`; seconds without one | `1.5 h` |
        | pixels | `MP`, a million; pixels without one | `50 MP` |
        """

    static let secrets = """
        Settings that end in `-file` hold the path of a file with a secret. A secret itself is never the value \
        of a setting, a flag or a variable, and no message or log has it. The credentials of systemd \
        (`LoadCredential=signing-keys-file:/etc/kingfisher/signing-keys`) are found without a setting, by \
        the name of the setting. A file that its group or all users may write stops the start, because they \
        could replace the keys. A file that all users may read is a warning, because containers mount \
        secrets in this way.
        """
}
