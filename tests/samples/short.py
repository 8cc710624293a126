"""Short papers: slides, letters, notices and diagrams."""

from tests.samples.papers import Grid, Heading, Items, Paper, Paragraph, day

NOTICE = Paper(
    "notice",
    "",
    "",
    "en",
    day(2026, 2, 9),
    ((Paragraph("The old pump is switched off from Friday. Ask Samuel for the spare key."),),),
)
LATIN = Paper(
    "brief",
    "Einladung zur Hauptversammlung",
    "",
    "en",
    day(2026, 5, 4),
    (
        (
            Heading("Einladung zur Hauptversammlung"),
            Paragraph("Datum: 4.5.2026"),
            Paragraph("Liebe Mitglieder, die Versammlung findet am 6. Juni in der Schloßgasse 12 in Würzburg statt."),
            Paragraph("Anträge schicken Sie bitte bis zum 20. Mai an Jörg Müller. Für Getränke und Brötchen ist gesorgt."),
        ),
    ),
)
TRADITIONAL = Paper(
    "通知",
    "臺北圖書館閉館通知",
    "",
    "zh",
    day(2026, 4, 2),
    (
        (
            Heading("臺北圖書館閉館通知"),
            Paragraph("日期：2026年4月2日"),
            Paragraph("因空調設備更新，本館三樓閱覽室自四月十三日起至四月二十五日止暫停開放，造成不便，敬請見諒。"),
            Paragraph("借閱的圖書請歸還至一樓服務台，逾期者每日罰款五元。聯絡人：張淑芬，電話二三九六一零零八。"),
        ),
    ),
)
COVER = Paper(
    "cover",
    "Papers for Harbour House",
    "",
    "en",
    day(2026, 3, 16),
    (
        (
            Paragraph("Dear Ben,"),
            Paragraph(
                "I attach the lease, the invoice for the sensors and the list of our staff. Please sign the lease by Friday."
            ),
            Paragraph("The locksmith comes on Tuesday at half past nine; the new code of the gate is with Mrs Dalloway."),
        ),
    ),
)
LETTER = Paper(
    "letter",
    "Question about the gate",
    "",
    "en",
    day(2026, 3, 12),
    ((Paragraph("Anna, does the gate at Quay Street open inwards? The removal van is four metres and twenty long."),),),
)
SLIDES = Paper(
    "kick-off",
    "Project Meridian",
    "Fiona Clarke",
    "en",
    day(2026, 1, 12),
    (
        (
            Heading("Project Meridian"),
            Paragraph("A new ticket system for the ferries of the Western Isles, presented on 12 January 2026."),
            Items(("Project lead: Fiona Clarke", "Sponsor: Hector MacLeod, board of the ferry company")),
        ),
        (
            Heading("Milestones"),
            Grid(
                (
                    ("Milestone", "Date"),
                    ("Prototype", "30 March 2026"),
                    ("Pilot on the Barra line", "15 June 2026"),
                    ("All lines", "1 October 2026"),
                )
            ),
        ),
        (
            Heading("Risks"),
            Items(
                (
                    "Card readers fail below minus ten degrees.",
                    "The supplier in Gdansk has only one welding line.",
                    "Passengers without telephones need paper tickets.",
                )
            ),
        ),
    ),
)
CHINESE_SLIDES = Paper(
    "培训",
    "新员工培训",
    "徐静",
    "zh",
    day(2026, 7, 1),
    (
        (
            Heading("新员工培训"),
            Paragraph("欢迎加入长江物流公司，培训时间为七月一日至七月三日。"),
            Items(("讲师：徐静", "地点：武汉总部三号楼")),
        ),
        (
            Heading("课程安排"),
            Grid((("日期", "课程"), ("七月一日", "公司历史"), ("七月二日", "仓库安全"), ("七月三日", "系统操作"))),
        ),
    ),
)
DIAGRAM = (
    "Intake from the river Aire",
    "Settling tank of 900 cubic metres",
    "Sand filter renewed in 2024",
    "Pump house with three pumps",
    "Pipe to the town of Skipton",
)
CHINESE_DIAGRAM = ("一号变压器 五百千瓦", "高压开关柜 编号三二七", "备用发电机 柴油", "通往城东工业园 电缆")
